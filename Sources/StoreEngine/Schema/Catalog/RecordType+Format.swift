// The parts of a record type that format 1 lacks.
extension RecordType {
    /// The first part of the description that format 1 lacks, as the beginning of a message; nil if it lacks none. Programs of
    /// format 1 would ignore the part, and then read records or write index entries wrongly.
    var partWithoutFirstFormat: String? {
        if isReplaced == true { return "the end of the record type \(name)" }
        for field in fields where field.type.hasReference { return "the reference \(name).\(field.name)" }
        for index in indexes {
            let indexed = index.fields.compactMap { number in fields.first { $0.id == number } }
            let names = indexed.map(\.name).joined(separator: ", ")
            if indexed.contains(where: { $0.type.elements != nil }) {
                return "the index of \(name) over the elements of \(names)"
            }
            if index.isBuilding { return "adding the index (\(names)) to the records of \(name)" }
        }
        let isChanged = oldestCompatible != nil || !earlierVersions.isEmpty || fields.contains { $0.missing != nil }
        return isChanged ? "the change to the fields of \(name)" : nil
    }
}

extension FieldType {
    /// Whether a value contains a reference to a record.
    fileprivate var hasReference: Bool {
        switch self {
        case .reference: true
        case .optional(let part), .array(let part), .set(let part): part.hasReference
        case .dictionary(let key, let value): key.hasReference || value.hasReference
        case .embedded(let schema): schema.fields.contains { $0.type.hasReference }
        default: false
        }
    }
}
