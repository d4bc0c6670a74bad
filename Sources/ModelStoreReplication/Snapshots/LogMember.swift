import StoreEngine

/// How far a node has applied the log, as it tells the others in a register. The log keeps the entries after it, until the register
/// ends.
struct LogMember: Sendable, Hashable {
    /// What the keys of these registers begin with; the node's name follows.
    static let keyPrefix = "member/"
    /// A node that is away for longer holds no entries. It joins again with a snapshot.
    static let lifetime = Duration.seconds(86_400)

    let applied: LogPosition

    init(applied: LogPosition) { self.applied = applied }

    /// Returns nil for a value of another version of ModelStore.
    init?(_ bytes: [UInt8]) {
        var reader = unsafe ByteReader(bytes.span.bytes)
        guard let applied = try? LogPosition(from: &reader), reader.isAtEnd else { return nil }
        self.applied = applied
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        applied.encode(to: &writer)
        return writer.array()
    }
}
