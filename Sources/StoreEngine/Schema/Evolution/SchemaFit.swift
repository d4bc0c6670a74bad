/// Compares the declaration of a program with a record type of the catalog.
package struct SchemaFit {
    private let declared: RecordSchema
    private let type: RecordType
    /// For each declared field, its index among the type's newest fields; nil if the type lacks the field.
    package let fieldIndexes: [Int?]

    package init(_ declared: RecordSchema, on type: RecordType) {
        self.declared = declared
        self.type = type
        let known = type.fields.map(\.schema)
        fieldIndexes = declared.fields.map { FieldMatch.index(of: $0, among: known, besides: declared.fields) }
    }

    /// The indexes of the type's fields that are not declared.
    package var undeclared: [Int] {
        let taken = Set(fieldIndexes.compactMap { $0 })
        return type.fields.indices.filter { !taken.contains($0) }
    }

    /// Whether a program with these fields can read and write the type's records as they are.
    ///
    /// This requires all of the following:
    ///
    /// - The type has each declared field, with the same type or with a type that begins with the declared type.
    /// - The same fields form the id.
    /// - Each field that is not declared has a value for records that the program inserts.
    package var servesFields: Bool {
        let known = fieldIndexes.compactMap { $0 }
        guard known.count == fieldIndexes.count, Set(known).count == known.count else { return false }
        let isCovered = zip(declared.fields, known).allSatisfy { field, fieldIndex in
            let stored = type.fields[fieldIndex]
            // If an older program changed and moved an element, the fields that newer programs wrote in it would be lost. A
            // program that declares less than any version ever had accepts that loss.
            return FieldCoverage(stored.type, declared: field.type) != nil
                && !type.hasLeftBehind(field.type, of: stored.type, ofField: stored.id)
        }
        guard isCovered, hasSameID else { return false }
        return undeclared.allSatisfy { type.fields[$0].schema.insertedBytes != nil }
    }

    /// The declared fields for which the type holds more than is declared, each with its field index in the type.
    package var partial: [(declared: FieldSchema, fieldIndex: Int)] {
        zip(declared.fields, fieldIndexes).compactMap { field, fieldIndex in
            guard let fieldIndex, let coverage = FieldCoverage(type.fields[fieldIndex].type, declared: field.type)
            else {
                return nil
            }
            return coverage == .whole ? nil : (field, fieldIndex)
        }
    }

    /// Whether a program with this declaration can use the type. A missing index that is not unique only makes requests slower.
    package var servesProgram: Bool { servesFields && !missingIndexes.contains(where: \.isUnique) }

    /// Whether a program with this declaration finds everything that it declares: fields and indexes under their newest names,
    /// and the names of enum cases.
    package var isComplete: Bool { servesFields && missingIndexes.isEmpty && !hasNewNames && !hasCaseNames }

    /// Whether the declaration names enum cases that have no names in the type.
    private var hasCaseNames: Bool {
        zip(declared.fields, fieldIndexes).contains { field, fieldIndex in
            fieldIndex.map { type.fields[$0].type.lacksCaseNames(of: field.type) } ?? false
        }
    }

    /// Whether the declared id is the id of the type.
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

    /// The declared indexes that the type lacks. A unique index also serves as a declared index that is not unique.
    package var missingIndexes: [IndexSchema] {
        declared.indexes.filter { index in
            !type.indexes.contains { stored in
                stored.fields == numbers(of: index) && (stored.isUnique || !index.isUnique)
            }
        }
    }

    /// Returns the numbers of an index's fields. The result is shorter if the type lacks one of them.
    package func numbers(of index: IndexSchema) -> [UInt32] {
        index.fields.compactMap { fieldIndexes[$0].map { type.fields[$0].id } }
    }
}

extension RecordType {
    /// Returns whether a program with this declaration is older than the type.
    ///
    /// That is so if the program declares only a part of the elements of an array in the field, and an earlier version of the
    /// field had exactly this part.
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
    /// The bytes of this field, including tokens, in a record that is inserted without it; nil if the field needs a value.
    package var insertedBytes: [UInt8]? {
        switch defaultValue {
        case .value(let bytes): return bytes
        case .token(let token): return (type.isOptional ? [1] : []) + token.encoded
        case nil: return type.isOptional ? [] : nil
        }
    }
}

extension DefaultToken {
    /// The token in the form of a value, which the transaction replaces.
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
