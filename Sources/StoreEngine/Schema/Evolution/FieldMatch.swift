/// Which declared field is which known one: by its name, else by a name that one of them had before.
enum FieldMatch {
    /// A field by its name, and by that in the store where it has another there.
    static func text(_ declared: String, inStore stored: String) -> String {
        declared == stored ? declared : "\(declared) (\(stored) in the store)"
    }

    /// The place in `known` of what `field` is there.
    ///
    /// - Parameter declared: all declared fields; a known field that one of them has the name of is not what another was.
    static func index(of field: FieldSchema, among known: [FieldSchema], besides declared: [FieldSchema]) -> Int? {
        if let same = known.firstIndex(where: { $0.name == field.name }) { return same }
        let taken = Set(declared.map(\.name))
        for old in field.renamedFrom where !taken.contains(old) {
            if let renamed = known.firstIndex(where: { $0.name == old }) { return renamed }
        }
        // The other way round: the field was renamed since this declaration.
        return known.firstIndex { $0.renamedFrom.contains(field.name) && !taken.contains($0.name) }
    }

    /// The earlier names, newest first, of a field that gets its declared name in the store.
    static func earlierNames(of declared: FieldSchema, inStore stored: FieldSchema) -> [String] {
        var earlier: [String] = []
        for name in [stored.name] + declared.renamedFrom + stored.renamedFrom {
            if name != declared.name, !earlier.contains(name) { earlier.append(name) }
        }
        return earlier
    }
}

extension FieldSchema {
    /// The same field under another name.
    func with(name: String, renamedFrom: [String]) -> FieldSchema {
        FieldSchema(
            name: name, type: type, defaultValue: defaultValue, renamedFrom: renamedFrom, onDelete: deleteRule)
    }

    /// The same field of another type.
    func with(type: FieldType, defaultValue: FieldDefault?) -> FieldSchema {
        FieldSchema(
            name: name, type: type, defaultValue: defaultValue, renamedFrom: renamedFrom, onDelete: deleteRule)
    }

    /// The default as one of a type that holds more than the declared one.
    func defaultValue(as stored: FieldType) -> FieldDefault? {
        guard stored != type, case .value(let bytes) = defaultValue else { return defaultValue }
        return FieldConversion.between(type, stored)?.converted(bytes).map { .value($0) }
    }

    /// What records get that were written before the field was there: its default, or none.
    ///
    /// - Parameter now: the time that stands in for the transaction's; nil where there is none.
    /// - Returns: nil where nothing can be told.
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
