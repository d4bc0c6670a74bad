/// A JSON text as a value without any loss: members keep their order, and numbers keep their exact digits.
///
/// `store-cli` must read back its own output without loss, and an import must name the line and column of a mistake. Foundation's
/// `JSONSerialization` cannot do that:
///
/// - It returns dictionaries without order.
/// - It rounds integers beyond 2^53, and in some cases decimals, to doubles.
/// - It accepts duplicate keys.
/// - Its errors contain no position.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Returns whether two values are equal. Strings are equal if their scalars are, as everywhere in the store. Swift's `==`
    /// would also equate different spellings of the same character.
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
        // Strings with the same scalars have the same hash, so the coarser hash of `String` is sufficient.
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
    /// The value of the member.
    package var value: JSONValue

    /// Creates a member with `key` and `value`.
    package init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }

    /// Returns whether two members are equal. It compares keys by their scalars.
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.key.hasSameScalars(as: right.key) && left.value == right.value
    }
}

extension JSONValue {
    /// The value of the member with this key; nil if there is none or this is not an object. Access takes linear time.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.hasSameScalars(as: key) }?.value
    }

    /// The element at this index; nil if there is none or this is not an array.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether this is `null`.
    package var isNull: Bool { self == .null }

    /// The text; nil if this is not a string.
    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The Boolean; nil if this is not a Boolean.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The number; nil if this is not a number.
    package var number: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The elements; nil if this is not an array.
    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members in their order; nil if this is not an object.
    package var object: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The name of this kind of value for messages, such as "a string" or "null".
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
    /// Creates the value for a double: the shortest number that reads back as the double. A double that is not finite becomes a
    /// string of ``NonFiniteText``, because JSON has no such numbers.
    package init(_ value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .string(NonFiniteText.text(of: value))
    }

    /// Creates the value for a float: the shortest number that reads back as the float, or a string of ``NonFiniteText``.
    package init(_ value: Float) {
        self = JSONNumber(value).map(JSONValue.number) ?? .string(NonFiniteText.text(of: value))
    }

    /// The double of a number, or of a string of ``NonFiniteText``; nil for other values.
    package var double: Double? {
        switch self {
        case .number(let number): number.double
        case .string(let text): NonFiniteText.double(of: text)
        default: nil
        }
    }

    /// The float of a number, or of a string of ``NonFiniteText``; nil for other values.
    package var float: Float? {
        switch self {
        case .number(let number): number.float
        case .string(let text): NonFiniteText.float(of: text)
        default: nil
        }
    }
}

extension String {
    /// Returns whether both strings consist of the same Unicode scalars.
    func hasSameScalars(as other: String) -> Bool {
        // Most strings here are ASCII and differ, and canonical equality is the cheaper test for them.
        self == other && utf8.elementsEqual(other.utf8)
    }
}
