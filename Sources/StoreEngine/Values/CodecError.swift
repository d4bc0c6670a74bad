/// The reason why bytes could not be decoded, or a value could not be encoded.
///
/// The store wraps this error in a ``StoreError`` that adds the record type, the id and the field.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, in one sentence without a full stop.
    public let reason: String

    /// The declared indexes of the field that could not be decoded or encoded: the index in the record, then, for a field of an
    /// embedded struct, the index in the struct. Empty where the reason names the field itself.
    package private(set) var fieldPath: [Int] = []

    /// The remedy, in the imperative; nil if none is known.
    package let remedy: String?

    /// Creates an error with a reason.
    public init(_ reason: String) { self.init(reason, remedy: nil) }

    package init(_ reason: String, remedy: String?) {
        self.reason = reason
        self.remedy = remedy
    }

    /// Creates the error for two elements of a set, or two keys of a dictionary, that the store cannot tell apart.
    init(repeated what: String, in collection: String) {
        self.init(
            "the \(collection) has two \(what)s that are the same in the store, such as two NaN",
            remedy: "remove one of the two \(what)s")
    }

    /// Returns this error as one of a field that contains the value.
    ///
    /// - Parameter index: the declared index of the field.
    @usableFromInline
    package func inField(_ index: Int) -> CodecError {
        var error = self
        error.fieldPath.insert(index, at: 0)
        return error
    }

    /// Returns this error with another index of the record's field.
    func movingField(_ index: (Int) -> Int) -> CodecError {
        var error = self
        if let first = fieldPath.first { error.fieldPath[0] = index(first) }
        return error
    }

    public var description: String { DisplayText.escaped(reason) }
}
