import StoreEngine
import TestSupport

/// Random conditions that go through references: on fields, on the elements of reference collections, and on the records that
/// refer to a record.
struct ReferenceConditions {
    private let types: [RecordType]

    init(_ types: [RecordType]) { self.types = types }

    func order(_ typeIndex: Int, _ random: inout TestRandom) -> [SortTerm] {
        (0..<random.below(3)).map { _ in
            SortTerm(path(typeIndex, hops: 3, &random), isDescending: random.oneIn(2))
        }
    }

    /// Returns fields to group rows by, or to distinguish rows by.
    func fields(_ typeIndex: Int, _ random: inout TestRandom) -> [FieldName] {
        (0..<1 + random.below(2)).map { _ in path(typeIndex, hops: 3, &random) }
    }

    /// - Parameter hops: The maximum number of references that the condition may go through.
    func condition(
        _ typeIndex: Int, depth: Int, hops: Int = ReferencePath.maximumHops, _ random: inout TestRandom
    ) -> ConditionNode {
        func part(_ random: inout TestRandom) -> ConditionNode {
            condition(typeIndex, depth: depth - 1, hops: hops, &random)
        }
        switch random.below(depth > 0 ? 11 : 5) {
        case 4: return calculation(typeIndex, hops: hops, &random)
        case 0:
            return .membership(
                path(typeIndex, hops: hops, &random), (0..<random.below(3)).map { _ in value(&random) })
        case 1, 2, 3:
            return .comparison(
                path(typeIndex, hops: hops, &random), random.pick(Comparison.allCases), value(&random))
        case 5: return .not(part(&random))
        case 6: return .and([part(&random), part(&random)])
        case 7: return .or([part(&random), part(&random)])
        case 8: return elements(typeIndex, depth: depth, hops: hops, &random) ?? part(&random)
        default: return inverse(typeIndex, depth: depth, hops: hops, &random) ?? part(&random)
        }
    }

    /// Returns a name that goes through up to three references to a number.
    private func path(_ typeIndex: Int, hops: Int, _ random: inout TestRandom) -> FieldName {
        FieldName(references(typeIndex, count: random.below(min(hops, 3) + 1), &random).names + ["note"])
    }

    /// Returns a comparison of two fields, or with a number calculated from fields. The fields belong to one record or to
    /// several.
    private func calculation(_ typeIndex: Int, hops: Int, _ random: inout TestRandom) -> ConditionNode {
        let names = [path(typeIndex, hops: hops, &random), path(typeIndex, hops: hops, &random)]
        let comparison = random.pick(Comparison.allCases)
        if random.oneIn(4) { return .fieldComparison(names[0], comparison, names[1]) }
        func number(_ random: inout TestRandom) -> ArithmeticNode { .value(.int(Int64(random.below(3)))) }
        func sign(_ random: inout TestRandom) -> ArithmeticOperator { random.pick(ArithmeticOperator.allCases) }
        func field(_ random: inout TestRandom) -> ArithmeticNode { .field(random.pick(names)) }
        let left = ArithmeticNode.operation(
            field(&random), sign(&random), random.oneIn(2) ? field(&random) : number(&random))
        let right = [
            number(&random), field(&random), .operation(number(&random), sign(&random), number(&random)),
            .operation(number(&random), sign(&random), field(&random)),
        ]
        return .arithmetic(left, comparison, random.pick(right))
    }

    /// Returns a chain of to-one references, and the type at its end.
    private func references(
        _ typeIndex: Int, count: Int, _ random: inout TestRandom
    ) -> (names: [String], typeIndex: Int) {
        var (names, end): ([String], Int) = ([], typeIndex)
        for _ in 0..<count {
            let references = types[end].fields.filter { $0.type.reference != nil && $0.type.elements == nil }
            guard !references.isEmpty else { break }
            let field = random.pick(references)
            names.append(field.name)
            end = types.firstIndex { $0.name == field.type.reference?.target } ?? end
        }
        return (names, end)
    }

    private func elements(
        _ typeIndex: Int, depth: Int, hops: Int, _ random: inout TestRandom
    ) -> ConditionNode? {
        let fields = types[typeIndex].fields.filter { $0.type.reference != nil && $0.type.elements != nil }
        guard hops > 0, !fields.isEmpty else { return nil }
        let field = random.pick(fields)
        guard let target = types.firstIndex(where: { $0.name == field.type.reference?.target }) else { return nil }
        let condition = condition(target, depth: depth - 1, hops: hops - 1, &random)
        return .elements(FieldName([field.name]), random.pick(ElementTest.allCases), condition)
    }

    private func inverse(_ typeIndex: Int, depth: Int, hops: Int, _ random: inout TestRandom) -> ConditionNode? {
        if hops == 0 { return nil }
        let path = references(typeIndex, count: random.oneIn(2) ? 0 : random.below(min(hops, 3)), &random)
        var found: [(source: Int, field: String)] = []
        for (source, type) in types.enumerated() {
            for field in type.fields where field.type.reference?.target == types[path.typeIndex].name {
                found.append((source, field.name))
            }
        }
        guard !found.isEmpty else { return nil }
        let (source, field) = random.pick(found)
        let rest = hops - path.names.count - 1
        let inner = random.oneIn(3) ? .constant(true) : condition(source, depth: depth - 1, hops: rest, &random)
        return .inverse(
            InverseName(path: FieldName(path.names), type: types[source].name, field: field),
            random.oneIn(4) ? .not(inner) : inner,
            random.pick(Comparison.allCases), random.pick([0, 0, 1, 1, 2, 3, -1]))
    }

    private func value(_ random: inout TestRandom) -> DynamicValue {
        random.oneIn(4) ? .none : .int(Int64(random.below(3)))
    }
}
