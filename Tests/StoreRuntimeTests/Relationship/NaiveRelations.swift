import StoreEngine
import StoreRuntime

/// Evaluates conditions on other records by searching all records for each of them.
struct NaiveRelations {
    private let types: [RecordType]
    /// The records of each type, in id order.
    let records: [[DynamicRecord]]

    init(_ types: [RecordType], _ scope: borrowing ReadContext) throws {
        self.types = types
        var records: [[DynamicRecord]] = []
        for type in types.indices {
            var all: [DynamicRecord] = []
            try scope.forEachDynamic(typeIndex: type) {
                all.append($0)
                return true
            }
            records.append(all)
        }
        self.records = records
    }

    func query(_ request: Request, _ typeIndex: Int) -> NaiveQuery {
        var naive = NaiveQuery(type: types[typeIndex], request: request)
        naive.follow = { follow($0, $1, typeIndex) }
        naive.isMet = { isMet($0, $1, typeIndex) }
        return naive
    }

    /// Returns the groups of records that are equal in some fields, in the order of those fields.
    func groups(
        _ request: Request, by fields: [FieldName], _ typeIndex: Int
    ) -> [(key: [DynamicValue], count: Int)] {
        let query = query(request, typeIndex)
        var groups: [(key: [DynamicValue], count: Int)] = []
        for record in records[typeIndex] where query.holds(request.condition, record) {
            let key = fields.map { query.value($0, record) }
            if let place = groups.firstIndex(where: { $0.key == key }) {
                groups[place].count += 1
            } else {
                groups.append((key, 1))
            }
        }
        return groups.sorted { left, right in
            for (place, field) in fields.enumerated() {
                let order = query.compare(left.key[place], right.key[place])
                let isDescending = request.order.first { $0.field == field }?.isDescending ?? false
                if order != 0 { return isDescending ? order > 0 : order < 0 }
            }
            return false
        }
    }

    /// Returns the value at the end of a path, by searching all records for each hop.
    private func follow(_ name: FieldName, _ record: DynamicRecord, _ typeIndex: Int) -> DynamicValue? {
        guard name.parts.count > 1, let place = types[typeIndex].fieldIndex(named: name.parts[0]),
            let target = types.firstIndex(where: { $0.name == types[typeIndex].fields[place].type.reference?.target })
        else { return nil }
        guard let found = find(record.values[place], target) else { return DynamicValue.none }
        let rest = FieldName(Array(name.parts.dropFirst()))
        return follow(rest, found, target)
            ?? types[target].fieldIndex(named: rest.parts[0]).map { found.values[$0] }
    }

    private func isMet(_ node: ConditionNode, _ record: DynamicRecord, _ typeIndex: Int) -> Bool {
        switch node {
        case .inverse(let inverse, let condition, let comparison, let number) where !inverse.path.parts.isEmpty:
            guard let place = types[typeIndex].fieldIndex(named: inverse.path.parts[0]),
                let target = types.firstIndex(where: {
                    $0.name == types[typeIndex].fields[place].type.reference?.target
                }), let found = find(record.values[place], target)
            else { return comparison == .notEqual }
            let rest = FieldName(Array(inverse.path.parts.dropFirst()))
            let own = InverseName(path: rest, type: inverse.type, field: inverse.field)
            return isMet(.inverse(own, condition, comparison, number), found, target)
        case .inverse(let inverse, let condition, let comparison, let number):
            guard let source = types.firstIndex(where: { $0.name == inverse.type }),
                let place = types[source].fieldIndex(named: inverse.field)
            else { return false }
            let own = id(record, typeIndex)
            let query = query(Request(), source)
            let count = records[source].count { other in
                let value = other.values[place]
                let refers = if case .list(let elements) = value { elements.contains(own) } else { value == own }
                return refers && query.holds(condition, other)
            }
            return switch comparison {
            case .equal: count == number
            case .notEqual: count != number
            case .less: count < number
            case .lessOrEqual: count <= number
            case .greater: count > number
            case .greaterOrEqual: count >= number
            }
        case .elements(let name, let test, let condition):
            guard let place = types[typeIndex].fieldIndex(named: name.parts[0]),
                let target = types.firstIndex(where: {
                    $0.name == types[typeIndex].fields[place].type.reference?.target
                }), case .list(let elements) = record.values[place]
            else { return false }
            func holds(_ element: DynamicValue) -> Bool {
                if let found = find(element, target) { return query(Request(), target).holds(condition, found) }
                // For a dangling reference, every field is none, and the number of records that refer to it is not a number.
                var nothing = NaiveQuery(type: types[target], request: Request())
                nothing.follow = { _, _ in DynamicValue.none }
                nothing.isMet = { node, _ in if case .inverse(_, _, .notEqual, _) = node { true } else { false } }
                return nothing.holds(condition, DynamicRecord(values: []))
            }
            return test == .any ? elements.contains(where: holds) : elements.allSatisfy(holds)
        default: return false
        }
    }

    private func find(_ id: DynamicValue, _ typeIndex: Int) -> DynamicRecord? {
        records[typeIndex].first { self.id($0, typeIndex) == id }
    }

    private func id(_ record: DynamicRecord, _ typeIndex: Int) -> DynamicValue {
        let type = types[typeIndex]
        let values = type.idFields.compactMap(type.fieldIndex(ofID:)).map { record.values[$0] }
        return values.count == 1 ? values[0] : .fields(values)
    }
}
