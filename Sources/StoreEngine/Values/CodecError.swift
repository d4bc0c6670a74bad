/// The reason why bytes could not be decoded, or a value could not be encoded.
///
/// The store wraps this error in a ``StoreError`` that adds the record type, the id and the field.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, in one sentence without a full stop.
    public let reason: String

    /// Creates an error with a reason.
    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
