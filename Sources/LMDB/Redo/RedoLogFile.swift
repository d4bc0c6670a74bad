internal import Glibc

/// The redo log, `redo.log`: entries one after the other. At the end of the file they continue at its beginning, where the last
/// checkpoint has made room (``RedoTail/place(of:after:capacity:limit:)``).
///
/// The file only grows, and its blocks are written before they are used. So an entry overwrites blocks that exist, which needs
/// no space, and its sync writes no metadata of the file. Only the holder of LMDB's write lock writes to it.
struct RedoLogFile {
    static let name = "redo.log"
    static let smallestByteCount = 1 << 18
    /// The offset of the first entry. Before it are the tags of this log and of the one before (``begin(_:after:)``).
    static let firstOffset = 64

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

    /// The length of the file; nil if the system does not tell.
    var byteCount: Int? { SystemCalls.byteCount(of: descriptor) }

    /// Makes the file long enough for its first bytes.
    ///
    /// - Returns: the new length; nil if the limit or the disk leaves no room.
    func makeRoom(for byteCount: Int, limit: Int) -> Int? {
        guard let current = self.byteCount else { return nil }
        if byteCount <= current { return current }
        let wanted = min(limit, max(2 * current, byteCount, Self.smallestByteCount))
        return byteCount <= limit && grow(from: current, to: wanted) ? wanted : nil
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

    /// Says that the entries of a new log follow, or those of the log before if its checkpoint does not reach the disk, and syncs
    /// that; false (and `errno`) on failure.
    ///
    /// A file without the tag of its checkpoint has lost its entries, or is of another store.
    func begin(_ secret: SipHash, after old: SipHash) -> Bool {
        var bytes: [UInt8] = []
        for tag in [secret.tag, old.tag] { bytes.append(littleEndian: tag) }
        return write(bytes, at: 0) && sync()
    }

    /// Whether a file that begins with these bytes can be a log: random tags and zeros before the first entry, and no short file.
    static func canBegin(with bytes: [UInt8], byteCount: Int) -> Bool {
        byteCount >= smallestByteCount && bytes.dropFirst(2 * MemoryLayout<UInt64>.size).allSatisfy { $0 == 0 }
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

    /// Reads the header that follows an end; nil if there is none. The operations are not checked.
    func next(after tail: RedoTail, _ secret: SipHash) throws(LMDBError) -> (entry: RedoEntry, offset: Int)? {
        for offset in tail.offset == Self.firstOffset ? [tail.offset] : [tail.offset, Self.firstOffset] {
            guard let bytes = SystemCalls.read(descriptor, at: offset, count: RedoEntry.headerByteCount) else {
                throw LMDBError(code: errno, operation: "read", path: path)
            }
            if let entry = RedoEntry(header: bytes, secret, tag: secret.tag), tail.isFollowed(by: entry) {
                return (entry, offset)
            }
        }
        return nil
    }

    /// Reads the whole file, whose length has been checked.
    func content() throws(LMDBError) -> [UInt8] {
        guard let byteCount, let bytes = SystemCalls.read(descriptor, at: 0, count: byteCount) else {
            throw LMDBError(code: errno, operation: "read", path: path)
        }
        guard bytes.count == byteCount else {
            throw LMDBError(
                .ioError, operation: "read", path: path,
                detail: "the system returned \(bytes.count) of the \(byteCount) bytes of redo.log",
                remedy: "check the disk, then retry")
        }
        return bytes
    }
}
