/// Computes the change of a catalog's record type when a program declares it differently.
///
/// When a program opens a store (``Mode/opening``), the store takes only steps that lose nothing and that existing records
/// satisfy without a change. A field or an index that the program does not declare stays, because the program may be older than
/// the store. An explicit migration (``Mode/explicit``) makes the type exactly as declared.
package struct SchemaEvolution {
    /// The limit for the steps.
    package enum Mode: Sendable {
        case opening, explicit
    }

    /// The type after the steps.
    package private(set) var type: RecordType
    /// The steps.
    package private(set) var changes: [SchemaChange] = []
    /// The reasons why the change is impossible; empty if it is possible.
    package private(set) var refusals: [String] = []
    /// The fields for which existing records have no value. The change is possible only without records.
    package private(set) var unfillable: [String] = []
    private let old: RecordType
    private let declared: RecordSchema
    private let mode: Mode

    /// - Parameter now: the time that existing records get for a new field whose default is the transaction's time.
    package init(of old: RecordType, to declared: RecordSchema, mode: Mode, now: Double) {
        self.old = old
        self.declared = declared
        self.mode = mode
        type = old
        let fit = SchemaFit(declared, on: old)
        takeFields(fit, now: now)
        takeUndeclared(fit)
        if !fit.hasSameID { refusals.append("the id differs") }
        takeIndexes()
        finishVersion()
    }

    private mutating func takeFields(_ fit: SchemaFit, now: Double) {
        for (fieldIndex, field) in zip(fit.fieldIndexes, declared.fields) {
            guard let fieldIndex else {
                add(field, now: now)
                continue
            }
            takeName(of: field, at: fieldIndex)
            takeType(of: field, at: fieldIndex)
            takeCaseNames(of: field, at: fieldIndex)
            takeDefault(of: field, at: fieldIndex)
            takeDeleteRule(of: field, at: fieldIndex)
        }
    }

    private mutating func add(_ field: FieldSchema, now: Double) {
        let missing = field.fillingBytes(now: now)
        if missing == nil {
            if mode == .opening {
                refusals.append(
                    "field \(field.name): \(field.type) is not in the store, and existing records would have no value for it "
                        + "(make it optional, or give it a default that is the same each time)")
            } else {
                unfillable.append(field.name)
            }
        }
        if field.type.reference != nil, field.deleteRule != .none, let missing,
            !field.type.refersToNothing(by: missing)
        {
            refusals.append(
                "the default of field \(field.name) refers to a record, and existing records would get this default")
        }
        type.fields.append(StoredField(id: type.nextFieldID, schema: field, missing: missing))
        type.nextFieldID += 1
        changes.append(.addField(field.name, field.type))
    }

    private mutating func takeName(of field: FieldSchema, at fieldIndex: Int) {
        let stored = type.fields[fieldIndex].schema
        guard field.isNewName(for: stored) || mode == .explicit && stored.name != field.name else { return }
        changes.append(.renameField(from: stored.name, to: field.name))
        type.fields[fieldIndex].schema = stored.with(
            name: field.name, renamedFrom: FieldMatch.earlierNames(of: field, inStore: stored))
    }

    private mutating func takeType(of field: FieldSchema, at fieldIndex: Int) {
        let stored = type.fields[fieldIndex]
        let wanted = mode == .opening ? stored.type.evolved(to: field.type) : field.type
        let before = old.fields.first { $0.id == stored.id }?.name ?? stored.name
        let name = FieldMatch.text(field.name, inStore: before)
        if mode == .opening, old.hasLeftBehind(field.type, of: wanted, ofField: stored.id) {
            var differences = TypeDifferences(.reported)
            differences.compare(stored.type, field.type, name: name, path: field.name)
            refusals += differences.texts
            return
        }
        if stored.type == wanted || mode == .opening && isServed(field, by: stored.schema) { return }
        guard let conversion = FieldConversion.between(stored.type, wanted),
            conversion.isLossless || mode == .explicit
        else {
            var differences = TypeDifferences(.refused(mode))
            differences.compare(stored.type, wanted, name: name, path: field.name)
            refusals += differences.texts
            return
        }
        if conversion != .none, type.idFields.contains(stored.id) {
            refusals.append(
                "field \(name) is \(stored.type) in the store and \(field.type) in the program, and it is part of the id"
            )
            return
        }
        changes.append(.changeType(stored.name, from: stored.type, to: wanted, isLossless: conversion.isLossless))
        type.fields[fieldIndex].schema = stored.schema.with(type: wanted, defaultValue: field.defaultValue(as: wanted))
        type.fields[fieldIndex].missing = stored.missing.flatMap { conversion.converted($0) }
    }

    private mutating func takeCaseNames(of field: FieldSchema, at fieldIndex: Int) {
        let stored = type.fields[fieldIndex].schema
        guard stored.type.lacksCaseNames(of: field.type) else { return }
        type.fields[fieldIndex].schema = stored.with(
            type: stored.type.addingCaseNames(of: field.type), defaultValue: stored.defaultValue)
        changes.append(.nameCases(stored.name))
    }

    // If only a default inside a struct differs, the struct stays as it is, just as a field of the record does (see
    // `takeDefault`).
    private func isServed(_ field: FieldSchema, by stored: FieldSchema) -> Bool {
        FieldCoverage(stored.type, declared: field.type) != nil && !field.type.hasNewNames(for: stored.type)
    }

    // An insert uses a default if it leaves the field out. The store takes over a default only with other changes or in an
    // explicit migration. Otherwise, two programs that differ only in the default would each undo the change of the other.
    private mutating func takeDefault(of field: FieldSchema, at fieldIndex: Int) {
        let stored = type.fields[fieldIndex].schema
        guard mode == .explicit, stored.defaultValue != field.defaultValue else { return }
        type.fields[fieldIndex].schema = stored.with(type: stored.type, defaultValue: field.defaultValue)
        changes.append(.changeDefault(field.name))
    }

    // Like defaults. Under the rule none the store has not checked references, so some may refer to missing records. It cannot
    // enforce another rule from now on.
    private mutating func takeDeleteRule(of field: FieldSchema, at fieldIndex: Int) {
        let stored = type.fields[fieldIndex].schema
        guard mode == .explicit, stored.deleteRule != field.deleteRule, stored.type.reference != nil else { return }
        guard stored.deleteRule != .none else {
            refusals.append(
                "field \(stored.name) has the delete rule none, so some of its references may lead to missing records")
            return
        }
        type.fields[fieldIndex].schema = stored.onDelete(field.deleteRule)
        changes.append(.changeDeleteRule(field.name, field.deleteRule))
    }

    private mutating func takeUndeclared(_ fit: SchemaFit) {
        for fieldIndex in fit.undeclared.reversed() {
            let stored = type.fields[fieldIndex]
            switch mode {
            case .opening:
                guard stored.schema.insertedBytes == nil, !type.idFields.contains(stored.id) else { continue }
                changes.append(.relaxField(stored.name, stored.type))
                type.fields[fieldIndex].schema = stored.schema.with(type: .optional(stored.type), defaultValue: nil)
                type.fields[fieldIndex].missing = stored.missing.map { [1] + $0 }
            case .explicit:
                changes.append(.dropField(stored.name, stored.type))
                type.fields.remove(at: fieldIndex)
            }
        }
    }

    private mutating func takeIndexes() {
        let fit = SchemaFit(declared, on: type)
        for stored in type.indexes { takeStored(stored, fit) }
        for index in declared.indexes {
            let numbers = fit.numbers(of: index)
            guard numbers.count == index.fields.count else { continue }
            let isThere = type.indexes.contains { stored in
                stored.fields == numbers
                    && (stored.isUnique == index.isUnique || (mode == .opening && stored.isUnique))
            }
            if !isThere { addIndex(numbers, isUnique: index.isUnique, rebuilding: false) }
        }
    }

    private mutating func takeStored(_ stored: StoredIndex, _ fit: SchemaFit) {
        let isDeclared = declared.indexes.contains { index in
            let numbers = fit.numbers(of: index)
            // An index that becomes unique is a different index.
            return numbers == stored.fields
                && (index.isUnique == stored.isUnique || stored.isUnique && mode == .opening)
        }
        let becomesUnique = declared.indexes.contains { fit.numbers(of: $0) == stored.fields && $0.isUnique }
        let hasFields = stored.fields.allSatisfy { type.fieldIndex(ofID: $0) != nil }
        if !hasFields || (becomesUnique && !stored.isUnique) || (mode == .explicit && !isDeclared) {
            drop(stored)
            if hasFields || mode == .explicit { changes.append(.dropIndex(text(stored, in: old))) }
        } else if keysChange(stored) {
            drop(stored)
            addIndex(stored.fields, isUnique: stored.isUnique, rebuilding: true)
        }
    }

    private mutating func drop(_ stored: StoredIndex) { type.indexes.removeAll { $0.id == stored.id } }

    private mutating func addIndex(_ fields: [UInt32], isUnique: Bool, rebuilding: Bool) {
        let index = StoredIndex(id: type.nextIndexID, fields: fields, isUnique: isUnique, isBuilding: true)
        type.nextIndexID += 1
        type.indexes.append(index)
        let text = text(index, in: type)
        changes.append(rebuilding ? .rebuildIndex(text) : .addIndex(text))
    }

    private func keysChange(_ stored: StoredIndex) -> Bool {
        stored.fields.contains { number in
            guard let before = old.fieldIndex(ofID: number), let after = type.fieldIndex(ofID: number) else {
                return true
            }
            let (old, new) = (old.fields[before].type, type.fields[after].type)
            return KeyComponent(old.elements ?? old) != KeyComponent(new.elements ?? new)
        }
    }

    private func text(_ index: StoredIndex, in type: RecordType) -> String {
        let names = index.fields.map { number in type.fields.first { $0.id == number }?.name ?? "?" }
        return (index.isUnique ? "unique index (" : "index (") + names.joined(separator: ", ") + ")"
    }

    private mutating func finishVersion() {
        guard type.fields != old.fields else { return }
        type.earlierVersions.append(EarlierVersion(version: old.version, fields: old.fields))
        type.version = old.version + 1
        type.oldestCompatible = type.version
        for earlier in type.earlierVersions.reversed() {
            guard earlier.version >= old.oldestCompatibleVersion, let schema = old.schema(of: earlier),
                SchemaFit(schema, on: type).servesFields
            else { break }
            type.oldestCompatible = earlier.version
        }
    }
}

extension RecordType {
    /// Returns the schema that a program of an earlier version declares, without its indexes; nil if it cannot be determined.
    func schema(of earlier: EarlierVersion) -> RecordSchema? {
        let id = (earlier.idFields ?? idFields).map { number in earlier.fields.firstIndex { $0.id == number } }
        let fieldIndexes = id.compactMap { $0 }
        guard fieldIndexes.count == id.count else { return nil }
        return RecordSchema(
            name: name, fields: earlier.fields.map(\.schema), id: IDSchema(fieldIndexes, isAssigned: assignsIDs))
    }

    /// Returns the newest earlier version whose fields are exactly the declared fields; nil if there is none.
    package func earlierVersion(declaredBy schema: RecordSchema) -> EarlierVersion? {
        func shape(_ fields: [FieldSchema]) -> Set<FieldShape> { Set(fields.map { FieldShape($0.name, $0.type) }) }
        let wanted = shape(schema.fields)
        return earlierVersions.last { shape($0.fields.map(\.schema)) == wanted }
    }
}

/// The name and type of a field. Two declarations of a field are of one version if both are equal.
private struct FieldShape: Hashable {
    let name: String
    let type: FieldType

    init(_ name: String, _ type: FieldType) {
        self.name = name
        self.type = type
    }
}
