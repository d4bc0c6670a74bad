/// Matches declared fields with known fields: by name, or else by a name that one of the two had before.
enum FieldMatch {
    /// Returns the name of a field, together with its name in the store if that is different.
    static func text(_ declared: String, inStore stored: String) -> String {
        declared == stored ? declared : "\(declared) (\(stored) in the store)"
    }

    /// Returns the index in `known` of the field that corresponds to `field`; nil if there is none.
    ///
    /// - Parameter declared: all declared fields. A known field that has the name of one of them matches no other declared field.
    static func index(of field: FieldSchema, among known: [FieldSchema], besides declared: [FieldSchema]) -> Int? {
        if let same = known.firstIndex(where: { $0.name == field.name }) { return same }
        let taken = Set(declared.map(\.name))
        for old in field.renamedFrom where !taken.contains(old) {
            if let renamed = known.firstIndex(where: { $0.name == old }) { return renamed }
        }
        // In the opposite direction, the field may have been renamed after this declaration.
        return known.firstIndex { $0.renamedFrom.contains(field.name) && !taken.contains($0.name) }
    }

    /// Returns the earlier names, newest first, of a stored field that takes its declared name.
    static func earlierNames(of declared: FieldSchema, inStore stored: FieldSchema) -> [String] {
        var earlier: [String] = []
        for name in [stored.name] + declared.renamedFrom + stored.renamedFrom {
            if name != declared.name, !earlier.contains(name) { earlier.append(name) }
        }
        return earlier
    }
}

extension FieldSchema {
    /// Returns the same field under another name.
    func with(name: String, renamedFrom: [String]) -> FieldSchema {
        FieldSchema(
            name: name, type: type, defaultValue: defaultValue, renamedFrom: renamedFrom, onDelete: deleteRule)
    }

    /// Returns the same field with another type and default.
    func with(type: FieldType, defaultValue: FieldDefault?) -> FieldSchema {
        FieldSchema(
            name: name, type: type, defaultValue: defaultValue, renamedFrom: renamedFrom, onDelete: deleteRule)
    }

    /// Returns the default in the form of the stored type, which holds more than the declared type.
    func defaultValue(as stored: FieldType) -> FieldDefault? {
        guard stored != type, case .value(let bytes) = defaultValue else { return defaultValue }
        return FieldConversion.between(type, stored)?.converted(bytes).map { .value($0) }
    }

    /// Returns the bytes of this field in records from before the field existed: its default, or nil for an optional field.
    ///
    /// - Parameter now: the time to use instead of the transaction's time; nil if there is none.
    /// - Returns: nil if the field has no such value.
    func fillingBytes(now: Double?) -> [UInt8]? {
        switch defaultValue {
        case .value(let bytes): return bytes
        case .token(.now):
            guard let now, let bytes = try? now.encoded() else { return nil }
            return type.isOptional ? [1] + bytes : bytes
        case .token(.newID), nil: return type.isOptional ? [] : nil
        }
    }
}
