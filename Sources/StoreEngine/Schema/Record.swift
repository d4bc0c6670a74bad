/// A value that a store keeps under its id. Conform with the macro `@Record`.
public protocol Record: Sendable, Equatable {
    /// The id's type: that of the one property marked `@ID`, or a struct of several.
    associatedtype ID: IndexableValue
    /// One token for each stored property.
    associatedtype Fields: Sendable

    /// The tokens.
    static var fields: Fields { get }

    /// What this type declares.
    static var recordSchema: RecordSchema { get }

    /// The record's id.
    var recordID: ID { get }

    /// Encodes each field in the order of ``recordSchema``.
    func encode(to encoder: inout FieldEncoder) throws(CodecError)

    /// Decodes each field.
    init(from decoder: borrowing FieldDecoder) throws(CodecError)
}
