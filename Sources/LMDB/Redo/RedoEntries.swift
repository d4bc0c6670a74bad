/// The entries of the redo log after a checkpoint, as recovery runs them and `verify` checks them.
struct RedoEntries {
    let record: CheckpointRecord
    /// The bytes of the log.
    let content: [UInt8]
    private(set) var list: [(entry: RedoEntry, offset: Int)] = []
    /// The end of the log.
    private(set) var tail: RedoTail
    /// Whether the bytes are those of the checkpoint's log.
    let isOfCheckpoint: Bool
    /// Whether the log goes on behind its end: an entry in between is damaged that was on the disk.
    private(set) var isDamaged = false

    /// - Complexity: O(bytes of the log), whatever the log contains.
    init(after record: CheckpointRecord, in content: [UInt8]) {
        self.record = record
        self.content = content
        tail = record.tail
        let (secret, tag) = (record.secret, record.secret.tag)
        isOfCheckpoint =
            content.count >= RedoLogFile.firstOffset
            && [0, 8].contains { content.integer(at: $0, as: UInt64.self).littleEndian == tag }
        while let (entry, offset) = Self.next(after: tail, in: content, secret, tag),
            entry.hasOperations(in: content, at: offset, secret)
        {
            list.append((entry, offset))
            tail.advance(past: entry, at: offset)
        }
        isDamaged = hasDurableEntryBehindTail(secret, tag)
    }

    /// Returns the header that follows an end; nil if there is none. The next entry is behind the last one, or at the beginning
    /// of the file.
    private static func next(
        after tail: RedoTail, in content: [UInt8], _ secret: SipHash, _ tag: UInt64
    ) -> (entry: RedoEntry, offset: Int)? {
        for offset in [tail.offset, RedoLogFile.firstOffset] {
            if let entry = RedoEntry(header: content, at: offset, secret, tag: tag), tail.isFollowed(by: entry) {
                return (entry, offset)
            }
        }
        return nil
    }

    private func hasDurableEntryBehindTail(_ secret: SipHash, _ tag: UInt64) -> Bool {
        let bytes = unsafe content.span.bytes
        for offset in stride(from: 0, through: content.count - RedoEntry.headerByteCount, by: RedoEntry.alignment) {
            // The stride ends a header before the end of the bytes.
            guard unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) == tag.littleEndian,
                let entry = RedoEntry(header: content, at: offset, secret, tag: tag)
            else { continue }
            if entry.durableAddress > tail.address { return true }
        }
        return false
    }
}
