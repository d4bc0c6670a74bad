// Decides which changes notify no subscriber.
//
// `==` is not enough for that: a program may write one that compares only ids, and a reader would then keep the old rest. So two
// equal values are the same only if
//
// - their encodings are equal, if a field can hold them;
// - they are one object, if they are objects;
// - all their parts are the same, or their JSON texts, if they are any other values.
extension Sameness {
    /// Returns the comparison of values with all their parts; nil if they cannot be compared. In that case, treat every value as
    /// a new one.
    ///
    /// Two values that differ by `==` cost no more than that. Equal values that share no storage cost reflection.
    package static func wholeComparison<Value>(of type: Value.Type = Value.self) -> Comparison<Value>? {
        guard let areSame = comparison(of: type) else { return nil }
        if isEncoded(type) { return areSame }
        return { areSame($0, $1) && haveSameParts($0, $1) }
    }

    /// Returns whether two values of any types are known to be the same, with all their parts.
    package static func areWhollySame(_ left: Any, _ right: Any) -> Bool {
        areSame(left, right) && haveSamePartsOfAnyType(left, right)
    }

    // MARK: Parts

    /// Returns whether all parts of two equal values are the same.
    fileprivate static func haveSameParts<Value>(_ left: Value, _ right: Value) -> Bool {
        if haveSameBits(left, right) { return true }
        if Value.self is AnyClass { return false }
        // The bytes of an existential include unused ones.
        if type(of: left as Any) != Value.self { return haveSamePartsOfAnyType(left, right) }
        if isEncoded(Value.self) { return comparison(of: Value.self)?(left, right) ?? false }
        func compare<C: ComparedByElements>(_ type: C.Type) -> Bool {
            guard let left = left as? C, let right = right as? C else { return false }
            return left.hasSameParts(as: right)
        }
        if let type = Value.self as? any ComparedByElements.Type { return compare(type) }
        return haveSameFields(left, right) || haveSameText(left, right)
    }

    private static func haveSamePartsOfAnyType(_ left: Any, _ right: Any) -> Bool {
        func compare<Value>(_ type: Value.Type) -> Bool {
            guard let left = left as? Value, let right = right as? Value else { return false }
            return haveSameParts(left, right)
        }
        // Opening `left` itself would yield the type of an existential within it, not that of its value.
        return type(of: left) == type(of: right) && _openExistential(type(of: left), do: compare)
    }

    private static func haveSameFields<Value>(_ left: Value, _ right: Value) -> Bool {
        // A type that describes its fields itself may hide some.
        if Value.self is any CustomReflectable.Type { return false }
        let (old, new) = (Mirror(reflecting: left).children, Mirror(reflecting: right).children)
        guard !old.isEmpty, old.count == new.count else { return false }
        return zip(old, new).allSatisfy { $0.label == $1.label && haveSamePartsOfAnyType($0.value, $1.value) }
    }

    /// Returns whether two values have the same JSON text; false if they have none.
    private static func haveSameText<Value>(_ left: Value, _ right: Value) -> Bool {
        guard Value.self is any Encodable.Type, !(Value.self is any RawRepresentable.Type) else { return false }
        return storedComparison(of: Value.self)(left, right)
    }

    /// Returns whether the comparison of a type compares encodings.
    private static func isEncoded(_ type: any Any.Type) -> Bool {
        if type is any FieldValue.Type || type is any Record.Type || type is any RecordContainer.Type { return true }
        func hasField<Raw: RawRepresentable>(_ type: Raw.Type) -> Bool { Raw.RawValue.self is any FieldValue.Type }
        return (type as? any RawRepresentable.Type).map { hasField($0) } ?? false
    }
}

/// A container of records, which are compared by their encodings.
private protocol RecordContainer {}

extension Section: RecordContainer {}

extension Page: RecordContainer {}

extension LiveRecords: RecordContainer {}

/// A container whose elements are compared without reflection.
private protocol ComparedByElements {
    /// Returns whether all parts of two equal containers are the same.
    func hasSameParts(as other: Self) -> Bool
}

extension Optional: ComparedByElements {
    fileprivate func hasSameParts(as other: Self) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return Sameness.haveSameParts(self, other)
    }
}

extension Array: ComparedByElements {
    fileprivate func hasSameParts(as other: Self) -> Bool {
        count == other.count && zip(self, other).allSatisfy { Sameness.haveSameParts($0, $1) }
    }
}

extension Set: ComparedByElements {
    fileprivate func hasSameParts(as other: Self) -> Bool {
        guard count == other.count else { return false }
        return allSatisfy { element in
            other.firstIndex(of: element).map { Sameness.haveSameParts(element, other[$0]) } ?? false
        }
    }
}

extension Dictionary: ComparedByElements {
    fileprivate func hasSameParts(as other: Self) -> Bool {
        guard count == other.count else { return false }
        return allSatisfy { key, value in
            guard let index = other.index(forKey: key) else { return false }
            return Sameness.haveSameParts(key, other[index].key) && Sameness.haveSameParts(value, other[index].value)
        }
    }
}
