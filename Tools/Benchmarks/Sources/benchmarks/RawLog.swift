import Foundation

/// A file for the rows that measure the bound of one sync for each commit: raw LMDB appends as many bytes as a commit puts, and
/// syncs them. The bytes have no meaning.
final class RawLog {
    private static let byteCount = 16 << 20
    private let descriptor: Int32
    private let bytes = Data(repeating: 1, count: 1 << 20)
    private var offset = 0
    /// The bytes that the current commit has put so far.
    var pending = 0

    init(path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw BenchmarkError("no log: errno \(errno)") }
        // The blocks are written before they are used, as those of ModelStore's log are.
        for start in stride(from: 0, to: Self.byteCount, by: bytes.count) { try write(bytes.count, at: start) }
        guard fdatasync(descriptor) == 0 else { throw BenchmarkError("fdatasync: errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Appends the pending bytes and syncs them.
    func commit() throws {
        let count = min(pending, bytes.count)
        pending = 0
        if offset + count > Self.byteCount { offset = 0 }
        try write(count, at: offset)
        offset += count
        guard fdatasync(descriptor) == 0 else { throw BenchmarkError("fdatasync: errno \(errno)") }
    }

    private func write(_ count: Int, at offset: Int) throws {
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, count, off_t(offset)) }
        guard written == count else { throw BenchmarkError("write: errno \(errno)") }
    }
}
