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
    /// How many levels deep ``node`` nests.
    private let depth: Int

    package init(_ node: ConditionNode) { self.init(node, depth: node.depth) }

    /// A field against a value.
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

    /// Both.
    public static func && (left: Condition, right: Condition) -> Condition {
        joined(left, right, by: ConditionNode.and, \.termsOfAnd)
    }

    /// One or both.
    public static func || (left: Condition, right: Condition) -> Condition {
        joined(left, right, by: ConditionNode.or, \.termsOfOr)
    }

    /// The opposite.
    public static prefix func ! (condition: Condition) -> Condition {
        if case .not(let node) = condition.node { return Condition(node, depth: condition.depth - 1) }
        return Condition(.not(condition.node), depth: condition.depth + 1)
    }

    /// This and another. That of a request, whose depth is not known, is not walked for each condition that joins it.
    func joined(to node: ConditionNode) -> ConditionNode {
        if let terms = node.termsOfAnd, terms.count < ConditionNode.maximumTerms { return .and(terms + [self.node]) }
        return (Condition(node) && self).node
    }

    /// A chain is one node with many terms, not a deep tree. A very long one goes on in a new node: adding a term copies
    /// those of its node.
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
    /// How many terms a chain has in one node.
    fileprivate static let maximumTerms = 1_024

    fileprivate var termsOfAnd: [ConditionNode]? { if case .and(let terms) = self { terms } else { nil } }

    fileprivate var termsOfOr: [ConditionNode]? { if case .or(let terms) = self { terms } else { nil } }
}

extension Field {
    /// A condition that needs a value without its Swift type.
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
    /// A node about a field that needs a value without its Swift type.
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
    /// A value without its Swift type.
    fileprivate static func of<V: FieldValue>(_ value: V) -> Result<DynamicValue, CodecError> {
        // What most ids are needs no bytes.
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
