/// A field of an open store that refers to records.
package struct OpenReference: Sendable {
    /// The index in the catalog of the type that has the field.
    let source: Int
    /// The index of the field among the newest fields of that type.
    let fieldIndex: Int
    /// The index in the catalog of the referenced type.
    let target: Int
    /// What happens to a referring record when the referenced record is deleted.
    let rule: DeleteRule
    /// The index over this field alone.
    let index: OpenIndex
    /// The type of one reference.
    let type: FieldType
    /// The component that turns one reference into the key of its target.
    let component: KeyComponent
    /// Whether the field is an array or a set of references.
    let isMultiple: Bool
    /// Whether the field is optional.
    let isOptional: Bool

    /// Whether the target must exist.
    var isChecked: Bool { rule != .none }
}

/// The references between record types.
package struct ReferenceGraph: Sendable {
    /// For each type of the catalog, the references among its fields.
    let outgoing: [[OpenReference]]
    /// For each type of the catalog, the references to its records.
    let incoming: [[OpenReference]]

    /// Finds the targets of the references of all types.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when a target is missing or has an id of another type.
    init(_ types: [OpenType]) throws(StoreError) {
        // Where two types have the same name, the newer type is replacing the older one.
        let typeIndexes = Dictionary(types.enumerated().map { ($0.element.name, $0.offset) }) { _, last in last }
        var outgoing: [[OpenReference]] = []
        var incoming: [[OpenReference]] = types.map { _ in [] }
        for (source, type) in types.enumerated() {
            var own: [OpenReference] = []
            // References from a type that is being replaced have no effect.
            if typeIndexes[type.name] != source {
                outgoing.append([])
                continue
            }
            for (fieldIndex, field) in type.type.fields.enumerated() {
                guard let reference = field.type.reference else { continue }
                let target = typeIndexes[reference.target]
                try ReferenceGraph.requireFit(field, of: type.name, reference, target.map { types[$0].type })
                guard let target, let component = KeyComponent(field.type.indexedType),
                    let index = type.indexes.first(where: {
                        $0.parts.count == 1 && $0.parts[0].fieldIndex == fieldIndex
                    })
                else {
                    throw StoreError(
                        .damaged, "the reference \(type.name).\(field.name) has no index", remedy: "restore a backup")
                }
                own.append(
                    OpenReference(
                        source: source, fieldIndex: fieldIndex, target: target, rule: field.schema.deleteRule,
                        index: index,
                        type: field.type.indexedType, component: component, isMultiple: field.type.elements != nil,
                        isOptional: field.type.isOptional))
            }
            outgoing.append(own)
            for reference in own { incoming[reference.target].append(reference) }
        }
        self.outgoing = outgoing
        self.incoming = incoming
    }

    /// Returns the references of a field that is an array or a set of them; nil for any other field.
    func elements(_ name: FieldName, of type: OpenType, at typeIndex: Int) -> OpenReference? {
        guard let single = name.single else { return nil }
        return outgoing[typeIndex].first { $0.isMultiple && type.type.isField($0.fieldIndex, named: single) }
    }

    /// Checks that a field can refer to a type.
    static func requireFit(
        _ field: StoredField, of owner: String, _ reference: FieldType.ReferenceType, _ target: RecordType?
    ) throws(StoreError) {
        guard let target else {
            throw StoreError(
                .schemaMismatch,
                "\(owner).\(field.name) refers to the record type \(reference.target), which the store does not have",
                remedy: "declare \(reference.target) too")
        }
        let ids = target.idFields.compactMap(target.fieldIndex(ofID:)).map { target.fields[$0] }
        var types = ids.map(\.type)
        var given = [reference.id]
        if case .embedded(let schema) = reference.id { given = schema.fields.map(\.type) }
        // An enum with a new case still has the same keys.
        types = types.map(\.rawType)
        given = given.map(\.rawType)
        guard types == given else {
            let wanted = ids.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
            throw StoreError(
                .schemaMismatch,
                "\(owner).\(field.name) refers to \(target.name) by \(reference.id), but its id is \(wanted)",
                remedy: "refer by the type of the id")
        }
    }
}

extension OpenReference {
    /// Calls `body` with the encoding of each id that a field refers to, in the order of the field, until `body` returns false.
    func forEachID(
        in field: RawSpan, _ body: (RawSpan) throws(CodecError) -> Bool
    ) throws(CodecError) {
        var field = field
        if isOptional {
            guard field.byteCount > 0 else { return }
            field = field.extracting(1..<field.byteCount)
        }
        guard isMultiple else {
            _ = try body(field)
            return
        }
        try FieldElements.forEach(in: field, of: type, body)
    }

    /// Appends the part of an index key that a reference to a record makes. `idKey` is the key of the record's id.
    ///
    /// - Returns: whether the part was truncated.
    func appendEntryPart(idKey: RawSpan, to writer: inout ByteWriter) -> Bool {
        let start = writer.count
        if isOptional, !isMultiple { writer.append(byte: 1) }
        writer.append(idKey)
        return KeyLimit.truncateIndexValue(&writer, from: start, index.keyHash)
    }
}

/// The encoded elements of an array or a set.
enum FieldElements {
    /// Calls `body` with each element until `body` returns false.
    static func forEach(
        in collection: RawSpan, of type: FieldType, _ body: (RawSpan) throws(CodecError) -> Bool
    ) throws(CodecError) {
        var reader = ByteReader(collection)
        let size = type.fixedByteCount
        while !reader.isAtEnd {
            let element = if let size { try reader.read(byteCount: size) } else { try reader.readLengthPrefixed() }
            guard try body(element) else { return }
        }
    }
}
