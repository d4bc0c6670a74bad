/// Decides whether two values are the same. All code that asks whether a value has changed uses this rule. Code that leaves out a
/// notification also compares what `==` may leave out (``wholeComparison(of:)``).
///
/// The store compares the bytes of encodings, so readers must compare bytes too. Swift's `==` gives other answers: a NaN differs
/// from itself, `0.0` equals `-0.0`, and "é" equals its other normal form.
///
/// - Two values that a field can hold, two records, or two collections of these are the same if their encodings are equal.
/// - Any other two values are the same if they are equal by `==`. If neither value equals itself, for example a struct with a
///   NaN, they are the same if all their parts are.
@usableFromInline
package enum Sameness {
    package typealias Comparison<Value> = @Sendable (Value, Value) -> Bool

    /// Returns the comparison for values of a type; nil if they cannot be compared. In that case, treat every value as a new one.
    ///
    /// Call this method once for each type, because it takes far longer than a comparison.
    package static func comparison<Value>(of type: Value.Type = Value.self) -> Comparison<Value>? {
        guard let rule = rule(for: type) else { return nil }
        return { haveSameBits($0, $1) || rule($0, $1) }
    }

    /// Returns the comparison for values of a field in the form in which the store holds them.
    package static func storedComparison<Value>(of type: Value.Type = Value.self) -> Comparison<Value> {
        let rule = storedRule(for: type) ?? { _, _ in false }
        return { haveSameBits($0, $1) || rule($0, $1) }
    }

    /// Returns whether two values of any types are known to be the same. An object is the same only as itself.
    package static func areSame(_ left: Any, _ right: Any) -> Bool {
        func isSame<Value>(_ left: Value) -> Bool {
            guard let right = right as? Value else { return false }
            return comparison(of: Value.self)?(left, right) ?? false
        }
        guard type(of: left) == type(of: right) else { return false }
        // Two equal objects change independently, and each has its own subscribers.
        if type(of: left) is AnyClass { return (left as AnyObject) === (right as AnyObject) }
        return _openExistential(left, do: isSame)
    }

    /// Returns whether two ids are the same. Components distinguish their children and tasks by these ids.
    package static func areSameIDs(_ left: AnyHashable, _ right: AnyHashable) -> Bool {
        switch (left.base, right.base) {
        case (let left as String, let right as String): left.hasSameScalars(as: right)
        case (let left as Int, let right as Int): left == right
        case (let left, let right): areSame(left, right)
        }
    }

    /// Returns whether two ids or indexed values have the same key. `0.0` and `-0.0` have the same key, and so have any two NaNs.
    @inlinable
    package static func haveOneKey<Key: IndexableValue>(_ left: Key, _ right: Key) -> Bool {
        var leftKey = ByteWriter(capacity: 64)
        var rightKey = ByteWriter(capacity: 64)
        left.encodeKey(to: &leftKey)
        right.encodeKey(to: &rightKey)
        return leftKey.bytes.isEqual(to: rightKey.bytes)
    }

    /// Returns the encoded fields of a record, in the order of their declaration.
    package static func encoding<R: Record>(of record: R) throws(CodecError) -> FieldEncoder {
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: R.recordSchema.fields.count)
        try record.encode(to: &encoder)
        try encoder.finish()
        return encoder
    }
}

// MARK: The rules

extension Sameness {
    private static func rule<Value>(for type: Value.Type) -> Comparison<Value>? {
        if let type = type as? any FieldValue.Type { return encodingRule(for: type) as? Comparison<Value> }
        if let type = type as? any Record.Type { return recordRule(for: type) as? Comparison<Value> }
        if let type = type as? any (ComparedByParts & SendableMetatype).Type {
            return partRule(for: type) as? Comparison<Value>
        }
        if let type = type as? any (RawRepresentable & SendableMetatype).Type, let rule = rawRule(for: type) {
            return rule as? Comparison<Value>
        }
        if let type = type as? any (Equatable & SendableMetatype).Type {
            return equalityRule(for: type) as? Comparison<Value>
        }
        return nil
    }

    private static func storedRule<Value>(for type: Value.Type) -> Comparison<Value>? {
        // The same order of preference as in the overloads that encode a field.
        if type is any FieldValue.Type || type is any RawRepresentable.Type || type is any OptionalRawValue.Type {
            if let rule = rule(for: type) { return rule }
        }
        if let type = type as? any (Encodable & SendableMetatype).Type {
            return jsonRule(for: type) as? Comparison<Value>
        }
        return rule(for: type)
    }

    // Each function returns a `Comparison` of its generic parameter, and the caller casts it to its own parameter for the same
    // type.

    private static func encodingRule<V: FieldValue>(for type: V.Type) -> Any {
        let rule: Comparison<V> = { haveSameEncoding($0, $1) }
        return rule
    }

    private static func haveSameEncoding<V: FieldValue>(_ left: V, _ right: V) -> Bool {
        var leftBytes = ByteWriter(capacity: 64)
        var rightBytes = ByteWriter(capacity: 64)
        do throws(CodecError) {
            try left.encode(to: &leftBytes)
            try right.encode(to: &rightBytes)
        } catch {
            // The store cannot hold a value that has no encoding.
            return false
        }
        return leftBytes.bytes.isEqual(to: rightBytes.bytes)
    }

    private static func recordRule<R: Record>(for type: R.Type) -> Any {
        let rule: Comparison<R> = { left, right in
            do throws(CodecError) {
                let left = try encoding(of: left)
                let right = try encoding(of: right)
                return left.tableBytes.isEqual(to: right.tableBytes)
            } catch {
                return false
            }
        }
        return rule
    }

    /// Returns nil if the parts cannot be compared.
    private static func partRule<P: ComparedByParts & SendableMetatype>(for type: P.Type) -> Any? {
        guard P.isComparable else { return nil }
        let rule: Comparison<P> = { $0.isSame(as: $1) }
        return rule
    }

    /// Returns nil if the type of the raw values does not conform to ``FieldValue``.
    private static func rawRule<V: RawRepresentable & SendableMetatype>(for type: V.Type) -> Any? {
        func rule<Raw: FieldValue>(_ raw: Raw.Type) -> Comparison<V>? {
            { left, right in
                guard let left = left.rawValue as? Raw, let right = right.rawValue as? Raw else { return false }
                return haveSameEncoding(left, right)
            }
        }
        return (V.RawValue.self as? any FieldValue.Type).flatMap { rule($0) }
    }

    private static func equalityRule<E: Equatable & SendableMetatype>(for type: E.Type) -> Any {
        let rule: Comparison<E> = { left, right in
            if left == right { return true }
            let isReflexive = left == left || right == right
            return !isReflexive && haveSameParts(left, right)
        }
        return rule
    }

    private static func jsonRule<V: Encodable & SendableMetatype>(for type: V.Type) -> Any {
        let rule: Comparison<V> = { left, right in
            do throws(CodecError) {
                return try left.jsonText == right.jsonText
            } catch {
                return false
            }
        }
        return rule
    }

    /// Returns whether two values of one type consist of the same bytes, for example values that share storage, or a NaN and
    /// itself.
    package static func haveSameBits<Value>(_ left: Value, _ right: Value) -> Bool {
        unsafe withUnsafeBytes(of: left) { left in
            unsafe withUnsafeBytes(of: right) { right in
                unsafe RawSpan(_unsafeBytes: left).isEqual(to: RawSpan(_unsafeBytes: right))
            }
        }
    }

    private static func haveSameParts(_ left: Any, _ right: Any) -> Bool {
        let (left, right) = (Mirror(reflecting: left), Mirror(reflecting: right))
        guard !left.children.isEmpty, left.children.count == right.children.count else { return false }
        return zip(left.children, right.children).allSatisfy { old, new in
            old.label == new.label && (areSame(old.value, new.value) || haveSameParts(old.value, new.value))
        }
    }
}

/// A value that ``Sameness`` compares part by part.
protocol ComparedByParts {
    /// Whether the parts can be compared.
    static var isComparable: Bool { get }

    /// Returns whether all parts are the same.
    func isSame(as other: Self) -> Bool
}

extension Optional: ComparedByParts {
    static var isComparable: Bool { Sameness.comparison(of: Wrapped.self) != nil }

    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let value?, let other?): Sameness.comparison(of: Wrapped.self)?(value, other) ?? false
        default: false
        }
    }
}

extension Array: ComparedByParts {
    static var isComparable: Bool { Sameness.comparison(of: Element.self) != nil }

    func isSame(as other: Self) -> Bool {
        guard count == other.count, let areSame = Sameness.comparison(of: Element.self) else { return false }
        return zip(self, other).allSatisfy { areSame($0, $1) }
    }
}

extension Dictionary: ComparedByParts {
    static var isComparable: Bool { Sameness.comparison(of: Value.self) != nil }

    func isSame(as other: Self) -> Bool {
        guard count == other.count, let areSame = Sameness.comparison(of: Value.self),
            let haveSameKey = Sameness.comparison(of: Key.self)
        else { return false }
        return allSatisfy { key, value in
            guard let found = other.index(forKey: key) else { return false }
            return haveSameKey(key, other[found].key) && areSame(value, other[found].value)
        }
    }
}

extension Section: ComparedByParts {
    static var isComparable: Bool { Sameness.comparison(of: Key.self) != nil && [R].isComparable }

    func isSame(as other: Self) -> Bool {
        (Sameness.comparison(of: Key.self)?(key, other.key) ?? false) && records.isSame(as: other.records)
    }
}

extension Page: ComparedByParts {
    static var isComparable: Bool { [Row].isComparable }

    func isSame(as other: Self) -> Bool { next == other.next && rows.isSame(as: other.rows) }
}

extension LiveRecords: ComparedByParts {
    static var isComparable: Bool { true }

    func isSame(as other: Self) -> Bool {
        guard count == other.count, let areSame = Sameness.comparison(of: R.self) else { return false }
        return zip(self, other).allSatisfy { areSame($0, $1) }
    }
}
