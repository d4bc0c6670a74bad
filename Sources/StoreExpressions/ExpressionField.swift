package import StoreEngine

/// A field that a text names, found in its record type.
package struct ExpressionField: Hashable {
    package let name: FieldName
    /// What the field holds, as declared.
    package let type: FieldType
    /// Whether there may be no value: the field, or a struct on the way to it, is optional.
    package let isOptional: Bool
    /// The places of the field: that in the record, then those in the structs on the way.
    package let fieldIndexes: [Int]
    /// How many references lead to the record that has the field.
    package let hopCount: Int

    /// The type without any optionality.
    package var valueType: FieldType {
        var type = type
        while case .optional(let wrapped) = type { type = wrapped }
        return type
    }

    /// Whether it can be compared with null. The type of what is kept as JSON does not tell: its null is none.
    package var mayBeNull: Bool { isOptional || valueType == .json }

    /// The type of the elements where this is an array or a set, and of the bytes of data.
    package var elementType: FieldType? { valueType.testedElementType }

    /// Whether the field has a number of elements, characters or bytes.
    package var isCounted: Bool {
        switch valueType {
        case .string, .data, .array, .set, .dictionary: true
        default: false
        }
    }

    /// The field's value in a record; none where a struct on the way is none.
    package func value(in record: DynamicRecord) -> DynamicValue {
        var values = record.values
        for (depth, fieldIndex) in fieldIndexes.enumerated() {
            let value = values[fieldIndex]
            if depth == fieldIndexes.count - 1 { return value }
            guard case .fields(let inner) = value else { break }
            values = inner
        }
        return .none
    }
}

extension ExpressionField {
    /// Finds the field that `parts` name.
    ///
    /// - Parameter targets: the types that may be referred to.
    /// - Parameter hopCount: how many references lead to what the names are of.
    /// - Parameter isValue: whether a value could stand there as well, so that its quotes may have been forgotten.
    /// - Throws: ``ExpressionError`` that names the nearest field.
    package init(
        _ parts: [NamePart], of record: RecordType, among targets: [RecordType] = [], behind hopCount: Int = 0,
        in source: ExpressionSource, isValue: Bool = false
    ) throws(ExpressionError) {
        if let element = record.element, parts.count == 1, parts[0].text == ExpressionSyntax.element,
            !parts[0].isQuoted
        {
            self.init(
                name: FieldName([]), type: element, isOptional: element.isOptional, fieldIndexes: [], hopCount: hopCount
            )
            return
        }
        if let name = record.element?.reference?.target, let target = targets.first(where: { $0.name == name }) {
            // The element itself holds the id of the record that it refers to.
            let isThere = parts.count > 1 || !target.isWholeID(parts[0].text)
            try self.init(
                parts, of: target, among: targets, behind: hopCount + (isThere ? 1 : 0), in: source, isValue: isValue)
            return
        }
        var fields = record.fields.map(\.schema)
        var owner = record.name
        var isOptional = false
        var fieldIndexes: [Int] = []
        var found: [String] = []
        var type = FieldType.bool
        var hopCount = hopCount
        try source.requireReachable(hopCount, at: parts[0].range)
        for (index, part) in parts.enumerated() {
            guard let fieldIndex = source.fieldIndex(of: part.text, among: fields) else {
                let names = record.element == nil ? fields.map(\.name) : [ExpressionSyntax.element]
                let remedy = Self.remedy(parts, at: index, among: names, isValue: isValue)
                let name = RecordText.shortened(part.text)
                throw source.error(at: part.range, "\(owner) has no field \(name); \(remedy)")
            }
            fieldIndexes.append(fieldIndex)
            found.append(fields[fieldIndex].name)
            type = fields[fieldIndex].type
            isOptional = isOptional || type.isOptional
            guard index + 1 < parts.count else { break }
            owner = parts[...index].map(\.text).joined(separator: ".")
            switch type.unwrapped {
            case .embedded(let schema): fields = schema.fields
            case .reference(let name, _):
                guard let target = targets.first(where: { $0.name == name }) else { fallthrough }
                hopCount += 1
                try source.requireReachable(hopCount, at: parts[index + 1].range)
                fields = target.fields.map(\.schema)
            default: throw source.error(at: parts[index + 1].range, "\(owner) has no fields: it is \(type)")
            }
        }
        self.init(
            name: FieldName(found), type: type, isOptional: isOptional, fieldIndexes: fieldIndexes, hopCount: hopCount)
    }

    private static func remedy(_ parts: [NamePart], at index: Int, among names: [String], isValue: Bool) -> String {
        let text = isValue && parts.count == 1 && !parts[0].isQuoted ? parts[0].text : nil
        if let text, ["nil", "none"].contains(text.lowercased()) { return "write null" }
        let quoted = text.map { ExpressionSyntax.quoted(RecordText.shortened($0), by: "\"") }
        if let nearest = NearestName.find(parts[index].text, among: names) {
            let field = FieldName(parts[..<index].map(\.text) + [nearest]).text
            return "did you mean \(field)\(quoted.map { ", or the text " + $0 } ?? "")?"
        }
        if let quoted { return "a text is in quotes: \(quoted)" }
        return "it has \(names.map { FieldName([$0]).text }.joined(separator: ", "))"
    }
}

extension ExpressionSource {
    /// Fails for what stands at `range` where too many references lead there.
    func requireReachable(_ hopCount: Int, at range: Range<Int>) throws(ExpressionError) {
        guard hopCount > ReferencePath.maximumHops else { return }
        throw error(at: range, "a path goes through at most \(ReferencePath.maximumHops) references")
    }
}

extension RecordType {
    /// Whether the field of this name alone is the id.
    fileprivate func isWholeID(_ name: String) -> Bool {
        idFields.count == 1 && fields.contains { $0.id == idFields[0] && $0.name == name }
    }
}
