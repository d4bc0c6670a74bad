/// A condition on the fields of `Root`, made of comparisons of its tokens:
///
/// ```swift
/// Sensor.where { $0.room == "kitchen" && ($0.celsius > 30 || $0.note != nil) }
/// ```
///
/// Comparisons follow the order of keys: numbers by value (`-0.0` equals `0.0`, `NaN` equals itself and comes after all
/// others), texts by Unicode scalars, so that two spellings of one character differ. A field that is nil equals nil and
/// differs from every value; it is neither less nor greater than anything.
public struct Condition<Root>: Hashable, Sendable {
    package let node: ConditionNode

    package init(_ node: ConditionNode) { self.node = node }

    /// Both.
    public static func && (left: Condition, right: Condition) -> Condition {
        Condition(.and(chain(left, right, ofAnd: true)))
    }

    /// One or both.
    public static func || (left: Condition, right: Condition) -> Condition {
        Condition(.or(chain(left, right, ofAnd: false)))
    }

    /// The opposite.
    public static prefix func ! (condition: Condition) -> Condition {
        if case .not(let node) = condition.node { return Condition(node) }
        return Condition(.not(condition.node))
    }

    /// The terms of both sides, so that a long chain is one node and not a deep tree.
    private static func chain(_ left: Condition, _ right: Condition, ofAnd isAnd: Bool) -> [ConditionNode] {
        switch (left.parts(ofAnd: isAnd), right.parts(ofAnd: isAnd)) {
        case (nil, nil): [left.node, right.node]
        case (let parts?, nil): parts + CollectionOfOne(right.node)
        case (nil, let parts?): [left.node] + parts
        case (let first?, let second?): first + second
        }
    }

    /// The terms of a chain; nil for what is none.
    private func parts(ofAnd isAnd: Bool) -> [ConditionNode]? {
        switch node {
        case .and(let parts) where isAnd: parts
        case .or(let parts) where !isAnd: parts
        default: nil
        }
    }
}

extension Field {
    /// A condition that needs a value without its Swift type.
    func condition<V: FieldValue>(_ value: V, _ node: (FieldName, DynamicValue) -> ConditionNode) -> Condition<Root> {
        switch Field.dynamic(value) {
        case .success(let value): Condition(node(FieldName(name), value))
        case .failure(let error): Condition(.invalid("\(name): \(error.reason)"))
        }
    }

    func compared<V: FieldValue>(_ comparison: Comparison, _ value: V) -> Condition<Root> {
        condition(value) { .comparison($0, comparison, $1) }
    }

    func compared<Other>(_ comparison: Comparison, _ other: Field<Root, Other>) -> Condition<Root> {
        Condition(.fieldComparison(FieldName(name), comparison, FieldName(other.name)))
    }

    func member<V: FieldValue>(of values: [V]) -> Condition<Root> {
        var members: [DynamicValue] = []
        for value in values {
            switch Field.dynamic(value) {
            case .success(let value): members.append(value)
            case .failure(let error): return Condition(.invalid("\(name): \(error.reason)"))
            }
        }
        return Condition(.membership(FieldName(name), members))
    }

    /// A value without its Swift type.
    private static func dynamic<V: FieldValue>(_ value: V) -> Result<DynamicValue, CodecError> {
        do {
            var bytes = ByteWriter(capacity: 32)
            try value.encode(to: &bytes)
            return .success(try DynamicValue(from: bytes.bytes, as: V.fieldType))
        } catch {
            return .failure(error)
        }
    }
}
