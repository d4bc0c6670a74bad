public import Foundation

/// A position in the feed of one store: after a certain change set.
///
/// Besides the sequence number, it contains the store's identity and the chained hash of the change set. The store therefore
/// recognizes a position from another store, or from a history that was lost and rewritten.
public struct Position: Hashable, Sendable, Codable {
    /// The store's identity, created with the store.
    public let store: UUID
    /// The epoch. A copy or a restored backup starts a new epoch with its first write access.
    public let epoch: UInt64
    /// The sequence number of the change set; 0 for the position before the first one.
    public let sequence: UInt64
    /// The chained hash of the change set.
    public let hash: UInt64

    package init(store: UUID, epoch: UInt64, sequence: UInt64, hash: UInt64) {
        self.store = store
        self.epoch = epoch
        self.sequence = sequence
        self.hash = hash
    }

    package init(store: UUID, head: FeedHead) {
        self.init(store: store, epoch: head.epoch, sequence: head.sequence, hash: head.hash)
    }
}

extension Position: LosslessStringConvertible {
    /// The full token for a later resume: store identity, epoch, sequence number and hash.
    public var description: String {
        [store.uuidString, String(epoch, radix: 16), String(sequence), String(hash, radix: 16)].joined(separator: ".")
    }

    /// Reads a token that ``description`` wrote.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let store = UUID(uuidString: String(parts[0])),
            let epoch = UInt64(parts[1], radix: 16), let sequence = UInt64(parts[2]),
            let hash = UInt64(parts[3], radix: 16)
        else { return nil }
        self.store = store
        self.epoch = epoch
        self.sequence = sequence
        self.hash = hash
    }
}

extension Position {
    /// Reads the token that ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let position = Position(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "this is not the token of a position")
        }
        self = position
    }

    /// Writes the full token, equal to ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
