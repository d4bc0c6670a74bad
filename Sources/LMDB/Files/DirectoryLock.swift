internal import CLMDB
internal import Glibc

/// An exclusive lock on a directory (`flock(2)`). It ends with this value, and with the process at the latest.
package final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock; nil if another process has it, or the directory cannot be locked.
    package init?(_ path: String) {
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        // A failure runs the deinitializer, which closes the descriptor.
        guard clmdb_lock_directory(descriptor) == 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
