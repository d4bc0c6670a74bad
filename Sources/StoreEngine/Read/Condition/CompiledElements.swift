/// A compiled test of the elements of an array or set.
struct CompiledElements: Sendable {
    private let test: ElementTest
    private let condition: CompiledCondition
    /// The size of each element in bytes; nil where each element is preceded by its length.
    private let size: Int?
    private let isStruct: Bool

    init(_ test: ElementTest, _ condition: CompiledCondition, of element: FieldType) {
        self.test = test
        self.condition = condition
        size = element.fixedByteCount
        if case .embedded = element { isStruct = true } else { isStruct = false }
    }

    /// Whether the elements of an encoded collection pass the test.
    func hold(_ collection: RawSpan) throws(CodecError) -> Bool {
        var reader = ByteReader(collection)
        while !reader.isAtEnd {
            let element = if let size { try reader.read(byteCount: size) } else { try reader.readLengthPrefixed() }
            let holds = try condition.holds(isStruct ? FieldTable(element) : FieldTable(whole: element))
            if holds == (test == .any) { return holds }
        }
        return test == .all
    }
}

extension FieldTable {
    /// Creates a stand-in for a table from bytes that are not a table. It has no fields.
    @_lifetime(copy bytes)
    init(whole bytes: RawSpan) {
        self.bytes = bytes
        width = 1
        dataStart = 0
        count = 0
    }
}

extension RecordType {
    /// The element type that this type stands in for; nil where the elements are structs.
    package var element: FieldType? { fields.first.flatMap { $0.name.isEmpty ? $0.type : nil } }

    /// Creates a stand-in for the elements of a collection, to compile a condition on them. If the element is a struct, the type
    /// has the struct's fields. Otherwise it has one field, with an empty name: the element.
    package init(elements element: FieldType, named name: String) {
        guard case .embedded(let schema) = element else {
            self.init(
                standIn: [FieldSchema(name: "", type: element, defaultValue: nil, renamedFrom: [])], named: name)
            return
        }
        self.init(standIn: schema.fields, named: name)
    }

    /// Creates a stand-in for a value with fields that is not a record, to compile a condition on those fields.
    init(standIn schemas: [FieldSchema], named name: String) {
        id = 0
        self.name = name
        version = 1
        fields = schemas.enumerated().map { StoredField(id: UInt32($0.offset), schema: $0.element) }
        idFields = []
        assignsIDs = false
        indexes = []
        earlierVersions = []
        nextFieldID = 0
        nextIndexID = 0
    }
}
