package import StoreEngine

/// A field that a text names, resolved in its record type.
package struct ExpressionField: Hashable {
    package let name: FieldName
    /// The declared type of the field.
    package let type: FieldType
    /// Whether the value may be missing: the field, or a struct that contains it, is optional.
    package let isOptional: Bool
    /// The indexes of the field: in the record, then in each nested struct.
    package let fieldIndexes: [Int]
    /// How many references lead to the record that has the field.
    package let hopCount: Int

    /// The type without optionals.
    package var valueType: FieldType {
        var type = type
        while case .optional(let wrapped) = type { type = wrapped }
        return type
    }

    /// Whether the field can be compared with null. A field that is stored as JSON may be null, whatever its type.
    package var mayBeNull: Bool { isOptional || valueType == .json }

    /// The type of the elements of an array, a set or data.
    package var elementType: FieldType? { valueType.testedElementType }

    /// Whether `count` applies to the field: it has elements, characters or bytes.
    package var isCounted: Bool {
        switch valueType {
        case .string, .data, .array, .set, .dictionary: true
        default: false
        }
    }

    /// Returns the field's value in a record; none if a struct that contains it is missing.
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
    /// Resolves the field that `parts` name.
    ///
    /// - Parameter targets: the types that references may lead to.
    /// - Parameter hopCount: how many references lead to the owner of the names.
    /// - Parameter isValue: whether a value could be at this position, so that its quotes may be missing.
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
            // The element itself contains the id of the record that it refers to.
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
        if let quoted { return "put a text in quotes: \(quoted)" }
        return "it has \(names.map { FieldName([$0]).text }.joined(separator: ", "))"
    }
}

extension ExpressionSource {
    /// Throws an error at `range` if too many references lead there.
    func requireReachable(_ hopCount: Int, at range: Range<Int>) throws(ExpressionError) {
        guard hopCount > ReferencePath.maximumHops else { return }
        throw error(at: range, "a path can go through at most \(ReferencePath.maximumHops) references")
    }
}

extension RecordType {
    /// Returns whether the field with this name is the whole id.
    fileprivate func isWholeID(_ name: String) -> Bool {
        idFields.count == 1 && fields.contains { $0.id == idFields[0] && $0.name == name }
    }
}
