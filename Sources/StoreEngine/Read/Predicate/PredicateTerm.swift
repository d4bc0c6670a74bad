/// The translation of a part of a predicate. With `??` and `?:`, it may be different parts for different records.
struct PredicateTerm {
    /// A part, and the condition for the records in which the term has this part.
    struct Branch {
        var condition: ConditionNode
        var part: PredicatePart
    }

    /// The branches. At most one holds for each record; none holds where evaluating the predicate throws.
    private(set) var branches: [Branch]

    /// The most branches of a term. Combining two terms multiplies their numbers of branches.
    private static let maximumBranches = 64

    /// Creates a term with the same part for every record.
    init(_ part: PredicatePart) { branches = [Branch(condition: .constant(true), part: part)] }

    private init() { branches = [] }

    /// The term for a value that evaluating the predicate never gives.
    static let nothing = PredicateTerm()

    static func condition(_ node: ConditionNode) -> PredicateTerm { PredicateTerm(.condition(node)) }
    static func field(_ name: FieldName) -> PredicateTerm { PredicateTerm(.field(name)) }
    static func value(_ value: DynamicValue) -> PredicateTerm { PredicateTerm(.value(value)) }

    private init(_ branches: [Branch]) throws(PredicateRefusal) {
        self.branches = branches.filter { $0.condition != .constant(false) }
        guard self.branches.count <= Self.maximumBranches else {
            throw PredicateRefusal("a term with more than \(Self.maximumBranches) branches of ?? and ?:")
        }
        if self.branches.isEmpty { return }
        // Conditions are merged into one, so that terms do not grow with each step.
        var conditions: [ConditionNode] = []
        for branch in self.branches {
            guard case .condition(let node) = branch.part else { return }
            conditions.append(.both(branch.condition, node))
        }
        self.branches = [Branch(condition: .constant(true), part: .condition(.either(conditions)))]
    }

    /// Creates a term that is `first` for the records that meet a condition, and `second` for all others.
    init(if test: ConditionNode, _ first: PredicateTerm, else second: PredicateTerm) throws(PredicateRefusal) {
        try self.init(first.narrowed(by: test) + second.narrowed(by: test.opposite))
    }

    /// The part, where it is the same for every record.
    var single: PredicatePart? {
        branches.count == 1 && branches[0].condition == .constant(true) ? branches[0].part : nil
    }

    /// Whether the term is one constant for every record.
    var isConstant: Bool { if case .value = single { true } else { false } }

    /// Returns the term with each part replaced by another part.
    func map(
        _ transform: (PredicatePart) throws(PredicateRefusal) -> PredicatePart
    ) throws(PredicateRefusal) -> PredicateTerm {
        try flatMap { part throws(PredicateRefusal) in PredicateTerm(try transform(part)) }
    }

    /// Returns the term with each part replaced by another term.
    func flatMap(
        _ transform: (PredicatePart) throws(PredicateRefusal) -> PredicateTerm
    ) throws(PredicateRefusal) -> PredicateTerm {
        var result: [Branch] = []
        for branch in branches { result += try transform(branch.part).narrowed(by: branch.condition) }
        return try PredicateTerm(result)
    }

    /// Combines each part of this term with each part of another term.
    func combined(
        with other: PredicateTerm,
        _ combine: (PredicatePart, PredicatePart) throws(PredicateRefusal) -> PredicatePart
    ) throws(PredicateRefusal) -> PredicateTerm {
        try flatMap { left throws(PredicateRefusal) in
            try other.map { right throws(PredicateRefusal) in try combine(left, right) }
        }
    }

    /// Returns the condition that the term represents.
    func condition() throws(PredicateRefusal) -> ConditionNode {
        let term = try map { part throws(PredicateRefusal) in .condition(try part.condition()) }
        guard case .condition(let node) = term.single else { return .constant(false) }
        return node
    }

    private func narrowed(by condition: ConditionNode) -> [Branch] {
        branches.map { Branch(condition: .both(condition, $0.condition), part: $0.part) }
    }
}

// MARK: Conditions without redundant parts

extension ConditionNode {
    /// Returns a condition that holds where both conditions hold.
    static func both(_ first: ConditionNode, _ second: ConditionNode) -> ConditionNode {
        var parts: [ConditionNode] = []
        for part in first.terms(ofAnd: true) + second.terms(ofAnd: true) where !parts.contains(part) {
            if part == .constant(false) { return part }
            if part != .constant(true) { parts.append(part) }
        }
        for index in parts.indices.reversed() {
            guard case .comparison(let field, .notEqual, .none) = parts[index] else { continue }
            let others = parts[..<index] + parts[(index + 1)...]
            if others.contains(where: { $0.isFalse(without: field) }) { parts.remove(at: index) }
        }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .constant(true) : .and(parts)
    }

    /// Returns a condition that holds where at least one of the conditions holds.
    static func either(_ conditions: [ConditionNode]) -> ConditionNode {
        var parts: [ConditionNode] = []
        for part in conditions.flatMap({ $0.terms(ofAnd: false) }) where !parts.contains(part) {
            if part == .constant(true) { return part }
            if part != .constant(false) { parts.append(part) }
        }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .constant(false) : .or(parts)
    }

    /// The condition that holds where this one does not.
    var opposite: ConditionNode {
        switch self {
        case .constant(let value): .constant(!value)
        case .comparison(let name, .equal, let value): .comparison(name, .notEqual, value)
        case .comparison(let name, .notEqual, let value): .comparison(name, .equal, value)
        case .not(let node): node
        default: .not(self)
        }
    }

    private func terms(ofAnd isAnd: Bool) -> [ConditionNode] {
        switch self {
        case .and(let parts) where isAnd, .or(let parts) where !isAnd: parts
        default: [self]
        }
    }

    /// Whether the condition is false for every record in which a field has no value.
    private func isFalse(without field: FieldName) -> Bool {
        func isIn(_ name: FieldName) -> Bool { name.parts.starts(with: field.parts) }
        return switch self {
        case .comparison(let name, .notEqual, let value): value == .none && isIn(name)
        case .comparison(let name, _, let value): value != .none && isIn(name)
        case .membership(let name, let values): !values.contains(.none) && isIn(name)
        case .text(let name, _, _, _), .element(let name, _), .elements(let name, _, _): isIn(name)
        case .size(let name, let comparison, _): comparison != .notEqual && isIn(name)
        case .and(let parts): parts.contains { $0.isFalse(without: field) }
        case .or(let parts): parts.allSatisfy { $0.isFalse(without: field) }
        default: false
        }
    }
}
