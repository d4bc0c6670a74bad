/// The cases of an enum with raw values, and the names of the cases.
///
/// Two values are equal if their raw values are: records hold only raw values, and a program may rename a case.
public struct EnumCases: Sendable {
    /// The raw values as text.
    public let rawValues: [String]
    /// The name of each case; nil if no program has recorded the names, or if the raw values are strings.
    public let names: [String]?

    /// Creates cases from their raw values as text, and their names if these are known.
    public init(_ rawValues: [String], names: [String]? = nil) {
        self.rawValues = rawValues
        self.names = names?.count == rawValues.count ? names : nil
    }

    /// Returns the name of the case with a raw value; nil if it has none.
    package func name(ofRawValue text: String) -> String? {
        guard let names, let index = rawValues.firstIndex(of: text) else { return nil }
        return names[index]
    }

    /// Returns the raw value, as text, of the case with a name; nil if no case has it.
    package func rawValue(named name: String) -> String? {
        names?.firstIndex(of: name).map { rawValues[$0] }
    }
}

extension EnumCases {
    /// The maximum number of cases that a message lists.
    private static let listedCount = 12

    /// Returns a list of the cases for a message. A long list ends with the number of cases that it omits.
    ///
    /// - Parameter shown: formats a case from its raw value and its name.
    package func list(_ shown: (_ rawValue: String, _ name: String?) -> String) -> String {
        let parts = rawValues.prefix(Self.listedCount).enumerated().map { index, raw in
            shown(raw, names?[index])
        }
        let more = rawValues.count > parts.count ? " and \(rawValues.count - parts.count) more" : ""
        return parts.joined(separator: ", ") + more
    }

    /// Creates the error for a text that is neither the raw value nor the name of a case.
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
    /// The position of the first raw value.
    public var startIndex: Int { rawValues.startIndex }
    /// The position after the last raw value.
    public var endIndex: Int { rawValues.endIndex }
    /// The raw value at a position, as text.
    public subscript(index: Int) -> String { rawValues[index] }
}

extension EnumCases: ExpressibleByArrayLiteral {
    /// Creates cases without names.
    public init(arrayLiteral rawValues: String...) { self.init(rawValues) }
}

extension EnumCases: CustomStringConvertible {
    /// The raw values, each after its name if that is known: `low: 0, high: 1`.
    public var description: String {
        guard let names else { return rawValues.joined(separator: ", ") }
        return zip(names, rawValues).map { "\($0): \($1)" }.joined(separator: ", ")
    }
}

extension FieldType {
    /// Returns the name of the enum case that a value of this type is; nil if it has no name.
    package func caseName(of value: DynamicValue) -> String? {
        guard case .enumeration(_, let cases?) = unwrapped, value != .none else { return nil }
        return cases.name(ofRawValue: value.text)
    }

    /// Whether this type is an enum whose cases have names.
    package var hasCaseNames: Bool {
        if case .enumeration(_, let cases?) = unwrapped { return cases.names != nil }
        return false
    }

    /// Returns this type, with the names from another description for enums that have no case names here.
    ///
    /// Names that this type has stay. Otherwise, two programs that name a case differently would each undo the change of the
    /// other.
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

    /// Returns whether another description has names of cases that this type lacks.
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
