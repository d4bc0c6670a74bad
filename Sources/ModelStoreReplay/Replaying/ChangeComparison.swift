import StoreEngine

/// Compares the changes of a replayed change set with the recorded ones.
struct ChangeComparison {
    private let comparison: ReplayOptions.Comparison
    /// The fields that are not compared, by the names of their types.
    private let masked: [String: Set<String>]
    /// The record types whose ids the program generates again in a replay.
    private let newIDTypes: Set<String>
    /// Recorded record ids and the replay's ids for them, by record type.
    private var identifiers: [String: [JSONValue: JSONValue]] = [:]
    private var masks: MaskedFields

    /// - Throws: `StoreError` with the code `unknownField` for a masked field that is not written as `Type.field`.
    init(_ options: ReplayOptions) throws(StoreError) {
        comparison = options.comparison
        var masked: [String: Set<String>] = [:]
        for name in options.maskedFields {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw StoreError(.unknownField, "\(name) is not a field to mask", remedy: "write it as Type.field")
            }
            masked[parts[0], default: []].insert(parts[1])
        }
        self.masked = masked
        masks = MaskedFields(options.maskedFields)
        newIDTypes = Set(options.newIDTypes)
    }

    /// Returns the first difference; nil if there is none.
    ///
    /// - Parameters:
    ///   - expected: the recorded changes.
    ///   - found: the changes of the replay.
    ///   - schema: the record types of the replay.
    mutating func difference(
        _ expected: [TraceChange], _ found: [TraceChange], _ schema: TraceSchema
    ) -> (reason: String, expected: JSONValue, found: JSONValue)? {
        let (left, right): ([TraceChange], [TraceChange])
        switch comparison {
        case .exact: (left, right) = (unmasked(expected), unmasked(found))
        case .semantic:
            learnIdentifiers(expected, found, schema)
            let renamed = unmasked(expected.map { mapped($0, schema) })
            (left, right) = (sorted(renamed, schema), sorted(unmasked(found), schema))
        }
        for (old, new) in zip(left, right) where old != new {
            return ("a change differs", old.json, new.json)
        }
        guard left.count != right.count else { return nil }
        let isShort = right.count < left.count
        return (
            isShort
                ? "\(left.count - right.count) changes are missing"
                : "there are \(right.count - left.count) additional changes",
            isShort ? left[right.count].json : .null, isShort ? .null : right[left.count].json
        )
    }

    // MARK: Masks

    /// Notes the fields of a record type, some of which may be masked.
    mutating func note(_ type: RecordType) { masks.note(type) }

    /// The error in the masks; nil if each names a field that some type has or had.
    var mistakenMask: StoreError? { masks.mistake }

    /// Returns the changes without masked fields. An update that changes only masked fields is left out.
    private func unmasked(_ changes: [TraceChange]) -> [TraceChange] {
        changes.map(mask).filter { change in
            if case .update(_, _, let set, _) = change { !set.isEmpty } else { true }
        }
    }

    private func mask(_ change: TraceChange) -> TraceChange {
        switch change {
        case .insert(let type, let record): .insert(type: type, record: masked(record, type))
        case .delete(let type, let record): .delete(type: type, record: masked(record, type))
        case .update(let type, let id, let set, let was):
            .update(type: type, id: id, set: masked(set, type), was: masked(was, type))
        case .schema, .reset: change
        }
    }

    /// Returns a record without its masked fields.
    func masked(_ record: JSONValue, _ type: String) -> JSONValue {
        guard masked[type] != nil, let members = record.object else { return record }
        return .object(masked(members, type))
    }

    private func masked(_ members: [JSONMember], _ type: String) -> [JSONMember] {
        guard let names = masked[type] else { return members }
        return members.filter { !names.contains($0.key) }
    }

    // MARK: Identifiers

    /// Learns the replay's ids of inserted records whose ids are generated: both runs insert the records of a type in the same
    /// order. A different id that the program chose is a difference.
    private mutating func learnIdentifiers(
        _ expected: [TraceChange], _ found: [TraceChange], _ schema: TraceSchema
    ) {
        let (old, new) = (insertedIDs(expected, schema), insertedIDs(found, schema))
        for (type, ids) in old {
            guard let others = new[type], others.count == ids.count else { continue }
            // Ids that occur in both stand for themselves. The other ids correspond to each other in order.
            let (known, own) = (Set(ids), Set(others))
            let described = try? schema.type(named: type)
            for id in ids where own.contains(id) {
                identifiers[type]?[id] = nil
                if let form = described?.referenceForm(of: id) { identifiers[type]?[form] = nil }
            }
            let left = ids.filter { !own.contains($0) }
            let right = others.filter { !known.contains($0) }
            for (id, other) in zip(left, right) {
                identifiers[type, default: [:]][id] = other
                // A reference to a composite id has another form.
                if let form = described?.referenceForm(of: id) {
                    identifiers[type]?[form] = described?.referenceForm(of: other)
                }
            }
        }
    }

    private func insertedIDs(_ changes: [TraceChange], _ schema: TraceSchema) -> [String: [JSONValue]] {
        var ids: [String: [JSONValue]] = [:]
        for case .insert(let name, let record) in changes {
            guard let type = try? schema.type(named: name), newIDTypes.contains(name) || type.hasNewIDs else {
                continue
            }
            ids[name, default: []].append(type.id(in: record))
        }
        return ids
    }

    /// Returns a recorded change with the replay's ids.
    func mapped(_ change: TraceChange, _ schema: TraceSchema) -> TraceChange {
        if identifiers.isEmpty { return change }
        switch change {
        case .insert(let name, let record): return .insert(type: name, record: mapped(record, name, schema))
        case .delete(let name, let record): return .delete(type: name, record: mapped(record, name, schema))
        case .update(let name, let id, let set, let was):
            return .update(
                type: name, id: mappedID(id, name, schema), set: mapped(set, name, schema),
                was: mapped(was, name, schema))
        case .schema, .reset: return change
        }
    }

    /// Returns a recorded record with the replay's ids.
    func mapped(_ record: JSONValue, _ name: String, _ schema: TraceSchema) -> JSONValue {
        guard !identifiers.isEmpty, let members = record.object else { return record }
        return .object(mapped(members, name, schema))
    }

    private func mapped(_ members: [JSONMember], _ name: String, _ schema: TraceSchema) -> [JSONMember] {
        guard let type = try? schema.type(named: name) else { return members }
        // An update never sets a field of the id.
        let other = identifiers[name]?[type.id(in: .object(members))]
        return members.map { member in
            guard let fieldIndex = type.fieldIndex(named: member.key) else { return member }
            let field = type.fields[fieldIndex]
            if let other, let number = type.idFields.firstIndex(of: field.id) {
                return JSONMember(member.key, type.idFields.count == 1 ? other : other[number] ?? member.value)
            }
            return JSONMember(member.key, mapped(member.value, of: field))
        }
    }

    /// Maps the value of a field that may refer to records, with one id or an array of ids.
    private func mapped(_ value: JSONValue, of field: StoredField) -> JSONValue {
        guard let target = field.type.reference?.target, let map = identifiers[target] else { return value }
        if let ids = value.array { return .array(ids.map { map[$0] ?? $0 }) }
        return map[value] ?? value
    }

    /// Maps the id of a record. Some fields of a composite id may refer to records whose ids differ.
    private func mappedID(_ id: JSONValue, _ name: String, _ schema: TraceSchema) -> JSONValue {
        if let other = identifiers[name]?[id] { return other }
        guard let type = try? schema.type(named: name) else { return id }
        let fields = type.idFields.compactMap(type.fieldIndex(ofID:)).map { type.fields[$0] }
        if fields.count == 1 { return mapped(id, of: fields[0]) }
        guard let parts = id.array, parts.count == fields.count else { return id }
        return .array(zip(parts, fields).map { mapped($0, of: $1) })
    }

    /// Returns a recorded condition with the replay's ids.
    ///
    /// - Parameter types: all record types.
    /// - Returns: nil if the condition uses an id in a way that does not allow a replacement.
    func mapped(_ condition: ConditionNode, of type: RecordType, among types: [RecordType]) -> ConditionNode? {
        if identifiers.isEmpty { return condition }
        var mapping = ConditionMapping(identifiers, types)
        let mapped = mapping.mapped(condition, of: type)
        return mapping.isComplete ? mapped : nil
    }

    // MARK: Order

    /// Returns the changes in an order that does not depend on the order in which they were made.
    private func sorted(_ changes: [TraceChange], _ schema: TraceSchema) -> [TraceChange] {
        changes.map { (key: Self.key($0, schema), change: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.change)
    }

    /// Compares bytes, because the store distinguishes texts that Swift considers equal.
    private static func key(_ change: TraceChange, _ schema: TraceSchema) -> [UInt8] {
        func text(_ name: String, _ id: JSONValue) -> [UInt8] { Array((name + "\0").utf8) + JSONWriter.bytes(of: id) }
        func id(_ name: String, _ record: JSONValue) -> JSONValue {
            (try? schema.type(named: name))?.id(in: record) ?? .null
        }
        return switch change {
        case .insert(let name, let record), .delete(let name, let record): text(name, id(name, record))
        case .update(let name, let changed, _, _): text(name, changed)
        case .schema(let type): text(type.name, .null)
        case .reset(let name): text(name ?? "", .null)
        }
    }
}

extension RecordType {
    /// Whether the transaction generates the ids, and not the program: it assigns them, or creates one if the program gives none.
    fileprivate var hasNewIDs: Bool {
        if assignsIDs { return true }
        guard idFields.count == 1, let fieldIndex = fieldIndex(ofID: idFields[0]) else { return false }
        return fields[fieldIndex].schema.defaultValue == .token(.newID)
    }

    /// Returns a composite id in the form that references use, from its array; nil for an id of one field.
    fileprivate func referenceForm(of id: JSONValue) -> JSONValue? {
        let names = idFields.compactMap(fieldIndex(ofID:)).map { fields[$0].name }
        guard names.count > 1, let parts = id.array, parts.count == names.count else { return nil }
        return .object(zip(names, parts).map { JSONMember($0, $1) })
    }
}
