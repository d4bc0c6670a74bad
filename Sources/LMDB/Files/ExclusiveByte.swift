internal import Glibc

/// The lock on one byte of the wake file, which the kernel gives up when its process ends, however it ends.
package final class ExclusiveByte: Sendable {
    /// Behind what is mapped.
    private static let firstOffset = 8_192

    private let descriptor: Int32
    private let offset: Int

    /// Takes the lock; nil when somebody has it.
    package init?(_ number: UInt32, of file: WakeFile) throws(LMDBError) {
        offset = Self.firstOffset + Int(number)
        descriptor = unsafe Glibc.open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: file.path) }
        guard try OpenFileLock.take(byte: offset, of: descriptor, path: file.path) else { return nil }
    }

    /// Whether somebody has the lock, in this process or another. Takes nothing, and needs no right but to read the file.
    package static func isTaken(_ number: UInt32, of file: WakeFile) throws(LMDBError) -> Bool {
        let descriptor = unsafe Glibc.open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: file.path) }
        defer { SystemCalls.close(descriptor) }
        return try OpenFileLock.isTaken(byte: firstOffset + Int(number), of: descriptor, path: file.path)
    }

    deinit {
        guard descriptor >= 0 else { return }
        OpenFileLock.giveUp(byte: offset, of: descriptor)
        SystemCalls.close(descriptor)
    }
}
