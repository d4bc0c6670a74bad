/// A JSON text as a value that has lost nothing: members keep their order and numbers their exact digits.
///
/// This code exists because Foundation's `JSONSerialization` returns dictionaries without order, rounds integers past
/// 2^53 and decimals to doubles in places, lets duplicate keys through and says no position when it fails. What
/// `store-cli` prints must read back without loss, and an import must name the line and the column of a mistake.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Strings are equal when their scalars are, as everywhere in the store; Swift's `==` would also equate
    /// different spellings of the same character.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        // Strings with the same scalars have the same hash, so the looser hash of String serves.
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members)
        }
    }
}

/// One key of a JSON object with its value.
package struct JSONMember: Hashable, Sendable {
    /// The key, unescaped.
    package var key: String
    /// What the key stands for.
    package var value: JSONValue

    /// A member that binds `key` to `value`.
    package init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }

    /// Keys are compared by their scalars.
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.key.hasSameScalars(as: right.key) && left.value == right.value
    }
}

extension JSONValue {
    /// The value of the member with this key; nil when there is none or this is no object. Takes linear time.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.hasSameScalars(as: key) }?.value
    }

    /// The element at this place; nil when there is none or this is no array.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether this is `null`.
    package var isNull: Bool { self == .null }

    /// The text, when this is a string.
    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The truth value, when this is one.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The number, when this is one.
    package var number: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The elements, when this is an array.
    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members in their order, when this is an object.
    package var object: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// What a message calls this kind of value: "a string", "null".
    package var kindDescription: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// A double: its shortest number, or the string that ``NonFiniteText`` has for it, as JSON has no such numbers.
    package init(_ value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .string(NonFiniteText.text(of: value))
    }

    /// A float: the shortest number that reads back as the same float, or the string that ``NonFiniteText`` has for it.
    package init(_ value: Float) {
        self = JSONNumber(value).map(JSONValue.number) ?? .string(NonFiniteText.text(of: value))
    }

    /// The double that a number, or a string of ``NonFiniteText``, stands for.
    package var double: Double? {
        switch self {
        case .number(let number): number.double
        case .string(let text): NonFiniteText.double(of: text)
        default: nil
        }
    }

    /// The float that a number, or a string of ``NonFiniteText``, stands for.
    package var float: Float? {
        switch self {
        case .number(let number): number.float
        case .string(let text): NonFiniteText.float(of: text)
        default: nil
        }
    }
}

extension String {
    /// Whether both consist of the same Unicode scalars.
    func hasSameScalars(as other: String) -> Bool {
        // Canonical equality is the cheaper test for what is mostly different ASCII.
        self == other && utf8.elementsEqual(other.utf8)
    }
}
