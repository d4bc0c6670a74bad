/// A default that is not a constant: the write transaction fills it in when a record is inserted.
public enum DefaultToken: String, Hashable, Sendable, Codable {
    /// The transaction's time, for a `Date`.
    case now
    /// A fresh identifier from the transaction, for a `UUID`.
    case newID

    /// The seconds of ``Foundation/Date/transactionTime``: 0001-01-01 00:00:00.9375 UTC. A finite time, because Foundation
    /// traps on printing another and a record must equal itself.
    @usableFromInline static var nowSeconds: Double { -63_113_903_999.0625 }

    /// The size of the token as a field's encoding, in bytes.
    var byteCount: Int { self == .now ? 8 : 16 }

    /// The bits of ``Foundation/UUID/newID``: a version 8 UUID whose text part spells "MODELSTORE-ID".
    static let newIDWords: (high: UInt64, low: UInt64) = (0x4D4F_4445_4C53_8F52, 0x9F45_2D49_4400_0001)
}
