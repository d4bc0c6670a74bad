/// Some fields of a record type, identified by the numbers of the type and the fields, which do not change with the schema.
package struct LiveFields: Hashable, Sendable {
    private let type: UInt32
    /// The numbers of the fields, ascending; nil for all fields.
    private let numbers: [UInt32]?
    /// The names of the fields, for a type that replaces this one.
    private let names: [String]

    /// - Parameters:
    ///   - fieldIndexes: the indexes of the fields in `type`. Indexes without a field are ignored.
    ///   - type: the record type.
    package init(_ fieldIndexes: FieldIndexSet, of type: RecordType) {
        self.type = type.id
        let fields = fieldIndexes.indexes?.filter(type.fields.indices.contains).map { type.fields[$0] }
        numbers = fields?.map(\.id).sorted()
        names = fields?.map(\.name) ?? []
    }

    /// Returns the indexes of the fields in another version of the type, or in the type that replaced it. Removed fields are left
    /// out.
    package func fieldIndexes(in type: RecordType) -> FieldIndexSet {
        guard let numbers else { return .all }
        guard type.id == self.type else { return FieldIndexSet(names.compactMap(type.fieldIndex(named:))) }
        return FieldIndexSet(numbers.compactMap(type.fieldIndex(ofID:)))
    }
}

extension RecordType {
    /// Whether records of both types have the same form.
    package func isSameVersion(as other: RecordType) -> Bool { id == other.id && version == other.version }
}
