internal import Glibc

/// A mark on one byte of the wake file: a shared lock. The kernel releases it when its process ends for any reason.
///
/// Any number of programs can set a mark, and each program can check whether it is set. Marks and ``ExclusiveByte`` use separate
/// bytes.
package final class SharedByte: Sendable {
    /// Behind all bytes of ``ExclusiveByte``.
    private static let firstOffset = 1 << 33

    private let descriptor: Int32
    private let offset: Int
    private let forkGeneration = ForkGuard.startWatching()

    /// Sets the mark with this number. Needs only read access to the file.
    package init(_ number: UInt32, of file: WakeFile) throws(LMDBError) {
        offset = Self.firstOffset + Int(number)
        descriptor = unsafe Glibc.open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: file.path) }
        // The byte is never locked exclusively.
        _ = try OpenFileLock.share(byte: offset, of: descriptor, path: file.path)
    }

    /// Returns whether the mark is set, by this process or another.
    package static func isSet(_ number: UInt32, of file: WakeFile) throws(LMDBError) -> Bool {
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
