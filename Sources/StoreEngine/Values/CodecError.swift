/// Why bytes could not be decoded, or a value could not be encoded.
///
/// The store wraps it in a ``StoreError`` that adds the record type, the id and the field.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in one sentence without a full stop.
    public let reason: String

    /// An error for `reason`.
    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
