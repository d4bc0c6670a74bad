internal import Glibc

/// The redo log, `redo.log`: entries one after the other, from the beginning of the file after each checkpoint.
///
/// The file only grows, and its blocks are written before they are used. So an entry overwrites blocks that exist, which needs
/// no space, and its sync writes no metadata of the file. Entries of earlier checkpoints stay behind the newest one. Only the
/// holder of LMDB's write lock writes to it.
struct RedoLogFile {
    static let name = "redo.log"
    private static let smallestByteCount = 1 << 18

    let path: String
    private let descriptor: Int32

    /// Opens the file of a directory; nil if there is none.
    init?(in directory: String, isReadOnly: Bool) throws(LMDBError) {
        path = directory + "/" + Self.name
        guard let descriptor = try StoreFile.open(path, isReadOnly: isReadOnly) else { return nil }
        self.descriptor = descriptor
    }

    /// Creates the file of a directory, or replaces one that has no side file.
    ///
    /// - Parameter data: the data file, whose owner and mode it gets.
    static func create(in directory: String, like data: Int32) throws(LMDBError) {
        let path = directory + "/" + name
        _ = unsafe unlink(path)
        SystemCalls.close(try StoreFile.create(path, like: data))
        guard let file = try RedoLogFile(in: directory, isReadOnly: false) else {
            throw LMDBError(code: ENOENT, operation: "open", path: path)
        }
        defer { file.close() }
        guard file.grow(from: 0, to: smallestByteCount) else {
            let code = errno
            _ = unsafe unlink(path)
            throw LMDBError(code: code, operation: "write", path: path)
        }
    }

    func close() { SystemCalls.close(descriptor) }

    /// Makes room for bytes at an offset, at most up to a limit.
    ///
    /// - Returns: false if the limit or the disk leaves no room.
    func makeRoom(for byteCount: Int, at offset: Int, limit: Int) -> Bool {
        guard let current = SystemCalls.byteCount(of: descriptor) else { return false }
        let needed = offset + byteCount
        if needed <= current { return true }
        guard needed <= limit else { return false }
        return grow(from: current, to: min(limit, max(2 * current, needed, Self.smallestByteCount)))
    }

    private func grow(from current: Int, to byteCount: Int) -> Bool {
        let chunk = [UInt8](repeating: 0, count: 1 << 18)
        var offset = current
        while offset < byteCount {
            let count = min(chunk.count, byteCount - offset)
            guard StoreFile.write(descriptor, Array(chunk.prefix(count)), at: offset, path: path) else { return false }
            offset += count
        }
        // The length of the file must be on the disk before an entry's sync leaves it out.
        return StoreFile.syncData(descriptor, path: path)
    }

    /// Writes an entry; false (and `errno`) on failure.
    func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        StoreFile.write(descriptor, bytes, at: offset, path: path)
    }

    /// Overwrites the header of an entry with zeros and syncs that; false (and `errno`) on failure.
    func withdraw(at offset: Int) -> Bool {
        write([UInt8](repeating: 0, count: RedoEntry.headerByteCount), at: offset) && sync()
    }

    /// Flushes all entries to the disk; false (and `errno`) on failure.
    func sync() -> Bool { StoreFile.syncData(descriptor, path: path) }

    /// Reads the header at an offset; nil if there is none.
    func header(at offset: Int) -> RedoEntry? {
        SystemCalls.read(descriptor, at: offset, count: RedoEntry.headerByteCount).flatMap { RedoEntry(header: $0) }
    }

    /// Reads the whole file.
    func content() throws(LMDBError) -> [UInt8] {
        guard let byteCount = SystemCalls.byteCount(of: descriptor),
            let bytes = SystemCalls.read(descriptor, at: 0, count: byteCount)
        else { throw LMDBError(code: errno, operation: "read", path: path) }
        return bytes
    }
}
