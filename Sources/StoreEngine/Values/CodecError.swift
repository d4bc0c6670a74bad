/// The reason why bytes could not be decoded, or a value could not be encoded.
///
/// The store wraps this error in a ``StoreError`` that adds the record type, the id and the field.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, in one sentence without a full stop.
    public let reason: String

    /// The declared indexes of the field that could not be decoded: the index in the record, then, for a field of an embedded
    /// struct, the index in the struct. Empty where the reason names the field itself.
    package private(set) var fieldPath: [Int] = []

    /// Creates an error with a reason.
    public init(_ reason: String) { self.reason = reason }

    /// Returns this error as one of a field that contains the value.
    ///
    /// - Parameter index: the declared index of the field.
    @usableFromInline
    package func inField(_ index: Int) -> CodecError {
        var error = self
        error.fieldPath.insert(index, at: 0)
        return error
    }

    public var description: String { reason }
}
