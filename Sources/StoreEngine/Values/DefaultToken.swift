/// A default that is not a constant. The write transaction fills it in when it inserts a record.
public enum DefaultToken: String, Hashable, Sendable, Codable {
    /// The time of the transaction, for a `Date`.
    case now
    /// A new identifier that the transaction generates, for a `UUID`.
    case newID

    /// The seconds of ``Foundation/Date/transactionTime``: 0001-01-01 00:00:00.9375 UTC. The time is finite because Foundation
    /// traps when it prints an infinite time, and because a record must equal itself.
    @usableFromInline static var nowSeconds: Double { -63_113_903_999.0625 }

    /// The size of the token when it is encoded as a field, in bytes.
    var byteCount: Int { self == .now ? 8 : 16 }

    /// The bits of ``Foundation/UUID/newID``: a version 8 UUID whose text part reads "MODELSTORE-ID".
    static let newIDWords: (high: UInt64, low: UInt64) = (0x4D4F_4445_4C53_8F52, 0x9F45_2D49_4400_0001)
}
