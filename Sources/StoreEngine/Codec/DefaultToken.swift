/// A default that is not a constant: the write transaction fills it in when a record is inserted.
public enum DefaultToken: String, Hashable, Sendable, Codable {
    /// The transaction's time, for a `Date`.
    case now
    /// A fresh identifier from the transaction, for a `UUID`.
    case newID

<<<<<<< HEAD
    /// The bits of ``Foundation/Date/transactionTime``: a subnormal number of seconds, 4e-310, whose bits spell "MSnow".
    ///
    /// No clock gives it, and unlike a NaN it equals itself and can be printed: Foundation traps on a date that is not a
    /// number.
    @usableFromInline static let nowBits: UInt64 = 0x0000_4D53_6E6F_7700
=======
    /// The seconds of ``Foundation/Date/transactionTime``: 0001-01-01 00:00:00.9375 UTC. A finite time, because Foundation
    /// traps on printing another and a record must equal itself.
    @usableFromInline static var nowSeconds: Double { -63_113_903_999.0625 }
>>>>>>> 6e1027a36a54d8fc4eb5e784f20ed0ab5c522b64

    /// The bits of ``Foundation/UUID/newID``: a version 8 UUID whose text part spells "MODELSTORE-ID".
    static let newIDWords: (high: UInt64, low: UInt64) = (0x4D4F_4445_4C53_8F52, 0x9F45_2D49_4400_0001)
}
