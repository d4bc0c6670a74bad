/// All entries of the redo log after a checkpoint, as recovery runs them and `verify` checks them.
struct RedoEntries {
    let record: CheckpointRecord
    /// The bytes of the log.
    let content: [UInt8]
    private(set) var list: [(entry: RedoEntry, offset: Int)] = []
    /// The end of the log.
    private(set) var tail: RedoTail

    /// Reads the entries.
    ///
    /// - Throws: ``LMDBError`` with the code `damaged` if entries follow behind the end.
    init(_ files: RedoFiles, path: String) throws(LMDBError) {
        record = try files.checkpoint()
        content = try files.log.content()
        tail = RedoTail(after: record)
        while let entry = RedoEntry(in: content, at: tail.offset), tail.isFollowed(by: entry, of: record) {
            list.append((entry, tail.offset))
            tail.advance(past: entry)
        }
        try requireEnd(path)
    }

    /// Throws if the log goes on behind its end: an entry in between is damaged that was on the disk.
    private func requireEnd(_ path: String) throws(LMDBError) {
        for offset in stride(from: tail.offset, to: content.count, by: RedoEntry.alignment) {
            guard let entry = RedoEntry(in: content, at: offset) else { continue }
            let isOfNewerCheckpoint = entry.checkpoint > record.number
            let isBehindGap =
                entry.checkpoint == record.number && entry.durableByteCount > UInt64(tail.offset)
            guard isOfNewerCheckpoint || isBehindGap else { continue }
            throw LMDBError(
                .damaged, operation: "open", path: path,
                detail: isOfNewerCheckpoint
                    ? "redo.log belongs to a newer checkpoint than redo.checkpoint"
                    : "redo.log is damaged at byte \(tail.offset): commits after it are lost",
                remedy: "restore the store from a copy")
        }
    }
}
