internal import Glibc

/// An exclusive lock on one byte of the wake file. The kernel releases it when its process ends for any reason.
package final class ExclusiveByte: Sendable {
    /// Behind the mapped part of the file.
    private static let firstOffset = 8_192

    private let descriptor: Int32
    private let offset: Int
    private let forkGeneration = ForkGuard.startWatching()

    /// Takes the lock; nil if it is taken.
    package init?(_ number: UInt32, of file: WakeFile) throws(LMDBError) {
        offset = Self.firstOffset + Int(number)
        descriptor = unsafe Glibc.open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: file.path) }
        guard try OpenFileLock.take(byte: offset, of: descriptor, path: file.path) else { return nil }
    }

    /// Returns whether the lock is taken, in this process or another. Takes no lock, and needs only read access to the file.
    package static func isTaken(_ number: UInt32, of file: WakeFile) throws(LMDBError) -> Bool {
        let descriptor = unsafe Glibc.open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: file.path) }
        defer { SystemCalls.close(descriptor) }
        return try OpenFileLock.isTaken(byte: firstOffset + Int(number), of: descriptor, path: file.path)
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A forked child shares the lock with its parent, which still needs it.
        if forkGeneration == ForkGuard.generation { OpenFileLock.giveUp(byte: offset, of: descriptor) }
        SystemCalls.close(descriptor)
    }
}
