import StoreEngine

/// How far a node has applied the log, as it tells the others in a register. The log keeps the entries after it, until the
/// register ends.
struct LogMember: Sendable, Hashable {
    /// The beginning of the keys of these registers; the node's name follows.
    static let keyPrefix = "member/"
    /// A node that is away for longer holds no entries. It joins again with a snapshot.
    static let lifetime = Duration.seconds(86_400)

    let applied: LogPosition
    /// The sum of the node's records there; nil if the node does not know it.
    var contentSum: ContentSum?

    init(applied: LogPosition, contentSum: ContentSum? = nil) {
        self.applied = applied
        self.contentSum = contentSum
    }

    /// Returns nil for a value of another version of ModelStore.
    init?(_ bytes: [UInt8]) {
        var reader = unsafe ByteReader(bytes.span.bytes)
        guard let applied = try? LogPosition(from: &reader) else { return nil }
        self.applied = applied
        if reader.isAtEnd { return }
        guard let sum = try? ContentSum(reader.read(byteCount: 16)), reader.isAtEnd else { return nil }
        contentSum = sum
    }

    /// The position, then the sum if there is one.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 48)
        applied.encode(to: &writer)
        if let sum = contentSum?.bytes { unsafe writer.append(sum.span.bytes) }
        return writer.array()
    }
}
