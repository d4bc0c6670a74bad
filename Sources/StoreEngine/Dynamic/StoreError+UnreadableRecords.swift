extension StoreError {
    /// Creates the error for a record that cannot be decoded.
    ///
    /// The bytes of a record are sound if their checksum matches and each field is a value of its type in the version of the
    /// write. A sound record does not fit the newest version of its type, or the type of the program, and nothing is lost: the
    /// code is `valueDoesNotFit`. Only a record that is not sound is `damaged`.
    ///
    /// - Parameters:
    ///   - record: the bytes, as they were stored.
    ///   - location: the record's name for a message about damage.
    package init(
        unreadable record: RawSpan, of type: RecordType, _ error: CodecError, at location: @autoclosure () -> String
    ) {
        guard RecordBody.isSound(record, of: type) else {
            self.init(error, at: location())
            return
        }
        let id = RecordBody.id(of: record, type).map { " " + $0 } ?? ""
        self.init("\(type.name)\(id)", doesNotFit: error)
    }

    /// Creates the error for a value that cannot be decoded and whose record is not at hand. A value of its stored type is sound.
    ///
    /// - Parameters:
    ///   - value: the bytes, without the mark of an optional.
    ///   - location: the value's name in the message.
    init(unreadable value: [UInt8], as type: FieldType, _ error: CodecError, at location: String) {
        guard (unsafe try? DynamicValue(from: value.span.bytes, as: type.unwrapped)) != nil else {
            self.init(error, at: location)
            return
        }
        self.init(location, doesNotFit: error)
    }

    /// Creates the error for something sound that does not fit the type of the program.
    init(_ name: String, doesNotFit error: CodecError) {
        self.init(
            .valueDoesNotFit, "\(name) does not fit its type: \(error.reason)",
            remedy:
                "declare the field so that it can hold this value, for example as an optional or with one more case, "
                + "or convert the records with a transform step of a migration plan",
            cause: error)
    }
}

extension ReadContext {
    /// Returns the error for a record that cannot be decoded.
    ///
    /// - Parameter key: the record's key.
    @usableFromInline
    func unreadable(_ binding: TypedBinding, key: RawSpan, _ error: CodecError) -> StoreError {
        unreadable(binding.type, key: key, binding.naming(error))
    }

    package func unreadable(_ type: OpenType, key: RawSpan, _ error: CodecError) -> StoreError {
        let location = "the record of \(type.name) under the key \(HexText.of(key))"
        guard let stored = try? value(type.database, key: key) else { return StoreError(error, at: location) }
        return StoreError(unreadable: stored, of: type.type, error, at: location)
    }
}

extension TypedBinding {
    /// Returns the error with the name of its field in the reason.
    func naming(_ error: CodecError) -> CodecError {
        var fields = type.type.fields.map(\.schema)
        var names: [String] = []
        for (depth, index) in error.fieldPath.enumerated() {
            let fieldIndex = depth == 0 ? fieldIndexesByDeclared.map { Int($0[index]) } ?? index : index
            guard fields.indices.contains(fieldIndex) else { break }
            names.append(fields[fieldIndex].name)
            fields = fields[fieldIndex].type.embeddedFields
        }
        if names.isEmpty { return error }
        return CodecError("\(names.joined(separator: ".")): \(error.reason)", remedy: error.remedy)
    }
}

extension FieldType {
    /// The fields of the struct that a value is or contains; empty where there is none.
    fileprivate var embeddedFields: [FieldSchema] {
        switch self {
        case .optional(let inner), .array(let inner), .dictionary(_, let inner): inner.embeddedFields
        case .embedded(let schema): schema.fields
        default: []
        }
    }
}
