/// The cases of an enum with raw values, and what they are called.
///
/// Two are equal where their raw values are: records hold these alone, and a case may get another name.
public struct EnumCases: Sendable {
    /// The raw values, as text.
    public let rawValues: [String]
    /// The name of each case; nil where no program has told them, or they are texts themselves.
    public let names: [String]?

    /// Cases with their names, where these are known.
    public init(_ rawValues: [String], names: [String]? = nil) {
        self.rawValues = rawValues
        self.names = names?.count == rawValues.count ? names : nil
    }

    /// What the case with a raw value is called.
    package func name(ofRawValue text: String) -> String? {
        guard let names, let index = rawValues.firstIndex(of: text) else { return nil }
        return names[index]
    }

    /// The raw value, as text, of the case with a name.
    package func rawValue(named name: String) -> String? {
        names?.firstIndex(of: name).map { rawValues[$0] }
    }
}

extension EnumCases {
    /// The most cases that a message lists.
    private static let listedCount = 12

    /// The cases for a message, as `shown` writes each from its raw value and its name. A long list ends with the number of the
    /// cases that it leaves out.
    package func list(_ shown: (_ rawValue: String, _ name: String?) -> String) -> String {
        let parts = rawValues.prefix(Self.listedCount).enumerated().map { index, raw in
            shown(raw, names?[index])
        }
        let more = rawValues.count > parts.count ? " and \(rawValues.count - parts.count) more" : ""
        return parts.joined(separator: ", ") + more
    }

    /// The error for a text that neither is the raw value of a case nor its name.
    package func unknown(_ text: String) -> CodecError {
        let list = list { raw, name in name.map { "\($0) (\(raw))" } ?? RecordText.shortened(raw) }
        let nearest = NearestName.find(text, among: names ?? rawValues)
        let remedy = nearest.map { "; did you mean \($0)?" } ?? ""
        return CodecError("takes one of \(list), found \"\(RecordText.shortened(text))\"\(remedy)")
    }
}

extension EnumCases: Hashable {
    public static func == (first: EnumCases, second: EnumCases) -> Bool { first.rawValues == second.rawValues }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValues) }
}

extension EnumCases: RandomAccessCollection {
    /// The place of the first raw value.
    public var startIndex: Int { rawValues.startIndex }
    /// The place behind the last raw value.
    public var endIndex: Int { rawValues.endIndex }
    /// A raw value, as text.
    public subscript(index: Int) -> String { rawValues[index] }
}

extension EnumCases: ExpressibleByArrayLiteral {
    /// Cases without names.
    public init(arrayLiteral rawValues: String...) { self.init(rawValues) }
}

extension EnumCases: CustomStringConvertible {
    /// The raw values, each behind its name where that is known: `low: 0, high: 1`.
    public var description: String {
        guard let names else { return rawValues.joined(separator: ", ") }
        return zip(names, rawValues).map { "\($0): \($1)" }.joined(separator: ", ")
    }
}

extension FieldType {
    /// What people call a value of this type: the name of an enum's case; nil where it has none.
    package func caseName(of value: DynamicValue) -> String? {
        guard case .enumeration(_, let cases?) = unwrapped, value != .none else { return nil }
        return cases.name(ofRawValue: value.text)
    }

    /// Whether the cases of an enum have names.
    package var hasCaseNames: Bool {
        if case .enumeration(_, let cases?) = unwrapped { return cases.names != nil }
        return false
    }

    /// This type with the names of cases that it lacks and another description of it has.
    ///
    /// Names that it has stay: of two programs that call a case differently each would undo the work of the other.
    func addingCaseNames(of other: FieldType) -> FieldType {
        switch (self, other) {
        case (.enumeration(let raw, let cases?), .enumeration(_, let named?))
        where cases == named && cases.names == nil:
            .enumeration(raw, cases: named)
        case (.optional(let own), .optional(let other)): .optional(own.addingCaseNames(of: other))
        case (.array(let own), .array(let other)): .array(own.addingCaseNames(of: other))
        case (.set(let own), .set(let other)): .set(own.addingCaseNames(of: other))
        case (.dictionary(let ownKey, let own), .dictionary(let otherKey, let other)):
            .dictionary(ownKey.addingCaseNames(of: otherKey), own.addingCaseNames(of: other))
        case (.embedded(let own), .embedded(let other)):
            .embedded(
                EmbeddedSchema(
                    fields: own.fields.map { field in
                        guard let same = other.fields.first(where: { $0.name == field.name }) else { return field }
                        let type = field.type.addingCaseNames(of: same.type)
                        return field.with(type: type, defaultValue: field.defaultValue)
                    }))
        default: self
        }
    }

    /// Whether another description has names of cases that this one lacks.
    func lacksCaseNames(of other: FieldType) -> Bool {
        switch (self, other) {
        case (.enumeration(_, let cases?), .enumeration(_, let named?)):
            cases == named && cases.names == nil && named.names != nil
        case (.optional(let own), .optional(let other)), (.array(let own), .array(let other)),
            (.set(let own), .set(let other)):
            own.lacksCaseNames(of: other)
        case (.dictionary(let ownKey, let own), .dictionary(let otherKey, let other)):
            ownKey.lacksCaseNames(of: otherKey) || own.lacksCaseNames(of: other)
        case (.embedded(let own), .embedded(let other)):
            own.fields.contains { field in
                other.fields.first { $0.name == field.name }.map { field.type.lacksCaseNames(of: $0.type) } ?? false
            }
        default: false
        }
    }
}
