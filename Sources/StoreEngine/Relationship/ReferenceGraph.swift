/// One field that refers to records, found in an open store.
package struct OpenReference: Sendable {
    /// The place in the catalog of the type whose field this is.
    let source: Int
    /// The field's place among the newest fields of that type.
    let fieldIndex: Int
    /// The place in the catalog of the type that it refers to.
    let target: Int
    /// What becomes of a record when one that it refers to is deleted.
    let rule: DeleteRule
    /// The index over the field alone.
    let index: OpenIndex
    /// The type of one reference.
    let type: FieldType
    /// How one reference becomes the key of its target.
    let component: KeyComponent
    /// Whether the field is an array or a set of references.
    let isMultiple: Bool
    /// Whether the field may hold none.
    let isOptional: Bool

    /// Whether the target has to exist.
    var isChecked: Bool { rule != .none }
}

/// Which record types refer to which.
package struct ReferenceGraph: Sendable {
    /// For each type of the catalog the references that its fields are.
    let outgoing: [[OpenReference]]
    /// For each type of the catalog the references to its records.
    let incoming: [[OpenReference]]

    /// Ties the references of all types to their targets.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when a target is missing or has an id of another type.
    init(_ types: [OpenType]) throws(StoreError) {
        // Of two types with one name the newer is taking the place of the older.
        let typeIndexes = Dictionary(types.enumerated().map { ($0.element.name, $0.offset) }) { _, last in last }
        var outgoing: [[OpenReference]] = []
        var incoming: [[OpenReference]] = types.map { _ in [] }
        for (source, type) in types.enumerated() {
            var own: [OpenReference] = []
            // What is about to go keeps nothing else in place.
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

    /// The references that a field of a type holds, where it is an array or a set of them; nil for any other.
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
        // An enum that has got a new case still has the same keys.
        types = types.map(\.rawType)
        given = given.map(\.rawType)
        guard types == given else {
            let wanted = ids.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
            throw StoreError(
                .schemaMismatch,
                "\(owner).\(field.name) refers to \(target.name) by \(reference.id), its id is \(wanted)",
                remedy: "refer by the type of the id")
        }
    }
}

extension OpenReference {
    /// Calls `body` with the encoding of each id that a field refers to, in its order, until it returns false.
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

    /// Appends the part of an entry's key in the index that a reference to a record makes, from the key of its id.
    ///
    /// - Returns: whether it was truncated.
    func appendEntryPart(idKey: RawSpan, to writer: inout ByteWriter) -> Bool {
        let start = writer.count
        if isOptional, !isMultiple { writer.append(byte: 1) }
        writer.append(idKey)
        return KeyLimit.truncateIndexValue(&writer, from: start)
    }
}

/// The elements of an array or a set, as they are encoded.
enum FieldElements {
    /// Calls `body` with each element until it returns false.
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
