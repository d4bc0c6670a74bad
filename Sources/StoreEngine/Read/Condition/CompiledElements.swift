/// A test of the elements of arrays or sets, made ready.
struct CompiledElements: Sendable {
    private let test: ElementTest
    private let condition: CompiledCondition
    /// The size of each element in bytes, nil where they have their lengths before them.
    private let size: Int?
    private let isStruct: Bool

    init(_ test: ElementTest, _ condition: CompiledCondition, of element: FieldType) {
        self.test = test
        self.condition = condition
        size = element.fixedByteCount
        if case .embedded = element { isStruct = true } else { isStruct = false }
    }

    /// Whether the elements of an encoded collection pass.
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
    /// Bytes that are no table, in the place of one; there are no fields in it.
    @_lifetime(copy bytes)
    init(whole bytes: RawSpan) {
        self.bytes = bytes
        width = 1
        dataStart = 0
        count = 0
    }
}

extension RecordType {
    /// The type of the elements that this stands for, where they are no structs.
    package var element: FieldType? { fields.first.flatMap { $0.name.isEmpty ? $0.type : nil } }

    /// What stands for the elements of a collection when a condition on them is compiled: a type with an element's fields
    /// where that is a struct, and otherwise with one of no name, which is the element.
    package init(elements element: FieldType, named name: String) {
        guard case .embedded(let schema) = element else {
            self.init(
                standIn: [FieldSchema(name: "", type: element, defaultValue: nil, renamedFrom: [])], named: name)
            return
        }
        self.init(standIn: schema.fields, named: name)
    }

    /// What stands for something with fields, that is no record, when a condition on them is compiled.
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
