/// How what a program declares lies on a record type of the catalog.
package struct SchemaFit {
    private let declared: RecordSchema
    private let type: RecordType
    /// For each declared field its place among the type's newest, nil where the type lacks it.
    package let fieldIndexes: [Int?]

    package init(_ declared: RecordSchema, on type: RecordType) {
        self.declared = declared
        self.type = type
        let known = type.fields.map(\.schema)
        fieldIndexes = declared.fields.map { FieldMatch.index(of: $0, among: known, besides: declared.fields) }
    }

    /// The places of the type's fields that are not declared.
    package var undeclared: [Int] {
        let taken = Set(fieldIndexes.compactMap { $0 })
        return type.fields.indices.filter { !taken.contains($0) }
    }

    /// Whether a program with these fields can read and write the type's records as they are: each of its fields is
    /// there with its type, or one that begins with it, and the same ones are the id, and of the others each has a value for
    /// records that the program inserts.
    package var servesFields: Bool {
        let known = fieldIndexes.compactMap { $0 }
        guard known.count == fieldIndexes.count, Set(known).count == known.count else { return false }
        let isCovered = zip(declared.fields, known).allSatisfy { field, fieldIndex in
            let stored = type.fields[fieldIndex]
            // Of an element that an older program changed and moved, what newer ones wrote would be lost. One that declares
            // less than there ever was has given that up.
            return FieldCoverage(stored.type, declared: field.type) != nil
                && !type.hasLeftBehind(field.type, of: stored.type, ofField: stored.id)
        }
        guard isCovered, hasSameID else { return false }
        return undeclared.allSatisfy { type.fields[$0].schema.insertedBytes != nil }
    }

    /// The declared fields of which the type's hold more than is declared, each with its place among these.
    package var partial: [(declared: FieldSchema, fieldIndex: Int)] {
        zip(declared.fields, fieldIndexes).compactMap { field, fieldIndex in
            guard let fieldIndex, let coverage = FieldCoverage(type.fields[fieldIndex].type, declared: field.type)
            else {
                return nil
            }
            return coverage == .whole ? nil : (field, fieldIndex)
        }
    }

    /// Whether a program with this declaration finds all that it declares: fields and indexes, under their newest names,
    /// and the names of cases.
    package var isComplete: Bool { servesFields && missingIndexes.isEmpty && !hasNewNames && !hasCaseNames }

    /// Whether the declaration has names for cases of enums that the type lacks.
    private var hasCaseNames: Bool {
        zip(declared.fields, fieldIndexes).contains { field, fieldIndex in
            fieldIndex.map { type.fields[$0].type.lacksCaseNames(of: field.type) } ?? false
        }
    }

    /// Whether the declared id is the type's.
    package var hasSameID: Bool {
        declared.id.isAssigned == type.assignsIDs
            && declared.id.fields.map { fieldIndex in fieldIndexes[fieldIndex].map { type.fields[$0].id } }
                == type.idFields
    }

    /// Whether the declaration has newer names for fields of the type.
    package var hasNewNames: Bool {
        zip(declared.fields, fieldIndexes).contains { field, fieldIndex in
            guard let stored = fieldIndex.map({ type.fields[$0] }) else { return false }
            return field.isNewName(for: stored.schema) || field.type.hasNewNames(for: stored.type)
        }
    }

    /// The declared indexes that the type lacks. A unique index serves where any will do.
    package var missingIndexes: [IndexSchema] {
        declared.indexes.filter { index in
            !type.indexes.contains { stored in
                stored.fields == numbers(of: index) && (stored.isUnique || !index.isUnique)
            }
        }
    }

    /// The numbers of an index's fields; fewer where the type lacks one.
    package func numbers(of index: IndexSchema) -> [UInt32] {
        index.fields.compactMap { fieldIndexes[$0].map { type.fields[$0].id } }
    }
}

extension RecordType {
    /// Whether a program is older that declares a part of what a field holds by now, in elements of arrays.
    package func hasLeftBehind(_ declared: FieldType, of stored: FieldType, ofField number: UInt32) -> Bool {
        guard FieldCoverage(stored, declared: declared) == .partialElements else { return false }
        return earlierVersions.contains { version in
            version.fields.contains { field in
                field.id == number && FieldCoverage(field.type, declared: declared) == .whole
                    && !declared.hasNewNames(for: field.type)
            }
        }
    }
}

extension FieldSchema {
    /// What a record gets here that is inserted without the field, tokens included; nil where it needs a value.
    package var insertedBytes: [UInt8]? {
        switch defaultValue {
        case .value(let bytes): return bytes
        case .token(let token): return (type.isOptional ? [1] : []) + token.encoded
        case nil: return type.isOptional ? [] : nil
        }
    }
}

extension DefaultToken {
    /// The token in the place of a value, for the transaction to replace.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        switch self {
        case .now: writer.append(DefaultToken.nowSeconds.bitPattern)
        case .newID:
            writer.append(bigEndian: DefaultToken.newIDWords.high)
            writer.append(bigEndian: DefaultToken.newIDWords.low)
        }
        return writer.array()
    }
}
