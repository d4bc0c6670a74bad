internal import Glibc

/// The state of a redo log.
package struct RedoStatus: Equatable, Sendable {
    /// The length of the entries since the last checkpoint, in bytes.
    package let logByteCount: Int
    /// The newest commit in the last checkpoint.
    package let transaction: UInt64
    /// When the last checkpoint was made, in seconds since 1970.
    package let time: Double

    /// Reads the state of files that may be in use. Only the headers of entries are looked at.
    ///
    /// - Complexity: O(bytes of the log)
    init(_ files: RedoFiles) throws(LMDBError) {
        let record = try files.checkpoint()
        let content = try files.log.content()
        var tail = RedoTail(after: record)
        while let entry = RedoEntry(header: content, at: tail.offset), tail.isFollowed(by: entry, of: record) {
            tail.advance(past: entry)
        }
        logByteCount = tail.offset
        transaction = record.transaction
        time = files.side.modificationTime
    }
}
