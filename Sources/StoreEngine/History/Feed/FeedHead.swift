/// The newest and the oldest change set of the feed, as stored in the metadata.
///
/// ```
/// bytes 0-7    sequence number of the newest change set, 0 before the first
/// bytes 8-15   its chained hash
/// bytes 16-23  epoch
/// bytes 24-31  sequence number of the oldest retained change set (newest + 1 if none is retained)
/// bytes 32-39  id of the LMDB transaction that wrote this; if the newest one differs, a foreign program has written since
/// ```
package struct FeedHead: Hashable, Sendable {
    package var sequence: UInt64
    package var hash: UInt64
    package var epoch: UInt64
    package var oldest: UInt64
    package var transactionID: UInt64

    package init(sequence: UInt64 = 0, hash: UInt64 = 0, epoch: UInt64, oldest: UInt64 = 1, transactionID: UInt64 = 0) {
        self.sequence = sequence
        self.hash = hash
        self.epoch = epoch
        self.oldest = oldest
        self.transactionID = transactionID
    }

    /// The number of retained change sets.
    package var retainedCount: UInt64 { sequence + 1 - oldest }

    package init(from bytes: RawSpan) throws(CodecError) {
        var reader = ByteReader(bytes)
        sequence = try reader.read()
        hash = try reader.read()
        epoch = try reader.read()
        oldest = try reader.read()
        transactionID = try reader.read()
        guard reader.isAtEnd else { throw CodecError("the feed's head has \(reader.remaining) bytes too many") }
        // No store reaches the last number, and every later calculation adds one.
        guard sequence < .max, oldest >= 1, oldest <= sequence + 1 else {
            throw CodecError("the feed's head says that \(oldest) is the oldest and \(sequence) the newest change set")
        }
    }

    package func encode(to writer: inout ByteWriter) {
        writer.append(sequence)
        writer.append(hash)
        writer.append(epoch)
        writer.append(oldest)
        writer.append(transactionID)
    }
}
