/// A default that is not a constant: the write transaction fills it in when a record is inserted.
public enum DefaultToken: String, Hashable, Sendable, Codable {
    /// The transaction's time, for a `Date`.
    case now
    /// A fresh identifier from the transaction, for a `UUID`.
    case newID

    /// The bits of ``Foundation/Date/transactionTime``: a subnormal number of seconds, 4e-310, whose bits spell "MSnow".
    ///
    /// No clock gives it, and unlike a NaN it equals itself and can be printed: Foundation traps on a date that is not a
    /// number.
    @usableFromInline static let nowBits: UInt64 = 0x0000_4D53_6E6F_7700

    /// The bits of ``Foundation/UUID/newID``: a version 8 UUID whose text part spells "MODELSTORE-ID".
    static let newIDWords: (high: UInt64, low: UInt64) = (0x4D4F_4445_4C53_8F52, 0x9F45_2D49_4400_0001)
}
