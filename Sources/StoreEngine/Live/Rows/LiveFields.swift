/// Some fields of a record type, by what stays the same while the schema changes: the numbers of the type and of the fields.
package struct LiveFields: Hashable, Sendable {
    private let type: UInt32
    /// The fields' numbers, ascending; nil for all that there are.
    private let numbers: [UInt32]?
    /// The fields' names, for a type that takes the place of this one.
    private let names: [String]

    /// - Parameters:
    ///   - fieldIndexes: the places of the fields in `type`; others are left out.
    ///   - type: the record type.
    package init(_ fieldIndexes: FieldIndexSet, of type: RecordType) {
        self.type = type.id
        let fields = fieldIndexes.indexes?.filter(type.fields.indices.contains).map { type.fields[$0] }
        numbers = fields?.map(\.id).sorted()
        names = fields?.map(\.name) ?? []
    }

    /// Where the fields are in the type as it is at another time, or in the one that took its place; those that there are no more are
    /// left out.
    package func fieldIndexes(in type: RecordType) -> FieldIndexSet {
        guard let numbers else { return .all }
        guard type.id == self.type else { return FieldIndexSet(names.compactMap(type.fieldIndex(named:))) }
        return FieldIndexSet(numbers.compactMap(type.fieldIndex(ofID:)))
    }
}

extension RecordType {
    /// Whether records of both have the same form.
    package func isSameVersion(as other: RecordType) -> Bool { id == other.id && version == other.version }
}
