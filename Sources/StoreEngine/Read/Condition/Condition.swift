/// A condition on the fields of `Root`, made by comparing field tokens:
///
/// ```swift
/// Sensor.where { $0.room == "kitchen" && ($0.celsius > 30 || $0.note != nil) }
/// ```
///
/// Comparisons follow the order of keys:
///
/// - Numbers compare by value. `-0.0` equals `0.0`; `NaN` equals itself and comes after all other numbers.
/// - Texts compare by Unicode scalars, so two spellings of one character differ.
/// - Nil equals nil and differs from every value. It is neither less nor greater than any value.
public struct Condition<Root>: Hashable, Sendable {
    package let node: ConditionNode
    /// The number of levels that ``node`` nests.
    private let depth: Int

    package init(_ node: ConditionNode) { self.init(node, depth: node.depth) }

    /// Compares a field with a value.
    @usableFromInline
    init<V: FieldValue>(_ field: String, _ comparison: Comparison, _ value: V) {
        node = ConditionNode(field, value) { .comparison($0, comparison, $1) }
        depth = 1
    }

    private init(_ node: ConditionNode, depth: Int) {
        let isTooDeep = depth > ConditionMistake.maximumDepth
        self.node = isTooDeep ? .invalid(.deepCondition) : node
        self.depth = isTooDeep ? 1 : depth
    }

    /// Returns a condition that holds where both conditions hold.
    public static func && (left: Condition, right: Condition) -> Condition {
        joined(left, right, by: ConditionNode.and, \.termsOfAnd)
    }

    /// Returns a condition that holds where at least one of the conditions holds.
    public static func || (left: Condition, right: Condition) -> Condition {
        joined(left, right, by: ConditionNode.or, \.termsOfOr)
    }

    /// Returns a condition that holds where `condition` does not.
    public static prefix func ! (condition: Condition) -> Condition {
        if case .not(let node) = condition.node { return Condition(node, depth: condition.depth - 1) }
        return Condition(.not(condition.node), depth: condition.depth + 1)
    }

    /// Joins this condition to another. Does not walk the condition of a request to find its depth each time a condition is added
    /// to it.
    func joined(to node: ConditionNode) -> ConditionNode {
        if let terms = node.termsOfAnd, terms.count < ConditionNode.maximumTerms { return .and(terms + [self.node]) }
        return (Condition(node) && self).node
    }

    /// Joins two conditions to a chain. A chain is one node with many terms, not a deep tree. A very long chain continues in a
    /// new node, because adding a term copies the terms of its node.
    private static func joined(
        _ left: Condition, _ right: Condition, by join: ([ConditionNode]) -> ConditionNode,
        _ terms: (ConditionNode) -> [ConditionNode]?
    ) -> Condition {
        let (first, second) = (terms(left.node), terms(right.node))
        let isShort = (first?.count ?? 1) + (second?.count ?? 1) <= ConditionNode.maximumTerms
        guard isShort, first != nil || second != nil else {
            return Condition(join([left.node, right.node]), depth: Swift.max(left.depth, right.depth) + 1)
        }
        let depth = Swift.max(
            first == nil ? left.depth + 1 : left.depth, second == nil ? right.depth + 1 : right.depth)
        return Condition(join((first ?? [left.node]) + (second ?? [right.node])), depth: depth)
    }
}

extension ConditionNode {
    /// The most terms in one node of a chain.
    fileprivate static let maximumTerms = 1_024

    fileprivate var termsOfAnd: [ConditionNode]? { if case .and(let terms) = self { terms } else { nil } }

    fileprivate var termsOfOr: [ConditionNode]? { if case .or(let terms) = self { terms } else { nil } }
}

extension Field {
    /// Makes a condition from a value, which is passed to `node` without its Swift type.
    func condition<V: FieldValue>(_ value: V, _ node: (FieldName, DynamicValue) -> ConditionNode) -> Condition<Root> {
        Condition(ConditionNode(name, value, node))
    }

    func compared<V: FieldValue>(_ comparison: Comparison, _ value: V) -> Condition<Root> {
        Condition(name, comparison, value)
    }

    func compared<Other>(_ comparison: Comparison, _ other: Field<Root, Other>) -> Condition<Root> {
        Condition(.fieldComparison(FieldName(name), comparison, FieldName(other.name)))
    }

    func member<V: FieldValue>(of values: [V]) -> Condition<Root> {
        var members: [DynamicValue] = []
        for value in values {
            switch DynamicValue.of(value) {
            case .success(let value): members.append(value)
            case .failure(let error): return Condition(.invalid(ConditionMistake(value: "\(name): \(error.reason)")))
            }
        }
        return Condition(.membership(FieldName(name), members))
    }
}

extension ConditionNode {
    /// Creates a node about a field from a value, which is passed to `node` without its Swift type.
    fileprivate init<V: FieldValue>(
        _ field: String, _ value: V, _ node: (FieldName, DynamicValue) -> ConditionNode
    ) {
        switch DynamicValue.of(value) {
        case .success(let value): self = node(FieldName(field), value)
        case .failure(let error): self = .invalid(ConditionMistake(value: "\(field): \(error.reason)"))
        }
    }
}

extension DynamicValue {
    /// Returns a value without its Swift type.
    fileprivate static func of<V: FieldValue>(_ value: V) -> Result<DynamicValue, CodecError> {
        // Most ids are an `Int`, which converts without encoding to bytes.
        if V.self == Int.self { return .success(.int(Int64(unsafe unsafeBitCast(value, to: Int.self)))) }
        do {
            var bytes = ByteWriter(capacity: 32)
            try value.encode(to: &bytes)
            return .success(try DynamicValue(from: bytes.bytes, as: V.fieldType))
        } catch {
            return .failure(error)
        }
    }
}
