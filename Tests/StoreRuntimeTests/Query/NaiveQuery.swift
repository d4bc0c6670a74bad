import Foundation
import StoreEngine

/// Answers requests in the simplest way: it tests and sorts every record by its values. It shares no code with the engine's
/// compiler, planner and keys.
struct NaiveQuery {
    let type: RecordType
    let request: Request
    /// The record after which the request continues, as an array position in id order.
    var last: Int?
    /// Returns the value of a field of a referenced record; nil if the name goes through no reference.
    var follow: (FieldName, DynamicRecord) -> DynamicValue? = { _, _ in nil }
    /// Returns whether a record meets a condition on the records that refer to it, or on the records that its elements refer to.
    var isMet: (ConditionNode, DynamicRecord) -> Bool = { _, _ in
        preconditionFailure("the generator asks nothing of elements")
    }

    /// Returns the results of the request over records in id order.
    func run(_ records: [DynamicRecord]) -> [DynamicRecord] {
        typealias Numbered = (offset: Int, element: DynamicRecord)
        var found: [Numbered] = Array(records.enumerated()).filter { holds(request.condition, $0.element) }
        let isIDDescending = request.order.last?.isDescending ?? false
        let comesBefore = { (left: Numbered, right: Numbered) in
            for term in request.order {
                let order = compare(value(term.field, left.element), value(term.field, right.element))
                if order != 0 { return term.isDescending ? order > 0 : order < 0 }
            }
            return isIDDescending ? left.offset > right.offset : left.offset < right.offset
        }
        found.sort(by: comesBefore)
        if let last {
            found.removeAll { !comesBefore((last, records[last]), $0) }
        }
        if request.isDistinct { found = firsts(found) { $0.element } }
        let kept = found.dropFirst(request.offset)
        return kept.prefix(request.limit ?? kept.count).map(\.element)
    }

    /// Returns the records in id order.
    func byID(_ records: [DynamicRecord]) -> [DynamicRecord] {
        let places = type.idFields.compactMap(type.fieldIndex(ofID:))
        return records.sorted { left, right in
            let order = places.lazy.map { compare(left.values[$0], right.values[$0]) }.first { $0 != 0 }
            return order.map { $0 < 0 } ?? false
        }
    }

    /// Returns the position behind a record.
    func position(_ record: DynamicRecord) -> RequestPosition {
        .row(Dictionary(uniqueKeysWithValues: zip(type.fields.map(\.name), record.values)))
    }

    /// Returns the first row of each set of rows that are equal in the requested fields.
    private func firsts<T>(_ rows: [T], _ record: (T) -> DynamicRecord) -> [T] {
        var kept: [T] = []
        for row in rows {
            let isKnown = kept.contains { other in
                (request.fields ?? []).allSatisfy {
                    compare(value($0, record(row)), value($0, record(other))) == 0
                }
            }
            if !isKnown { kept.append(row) }
        }
        return kept
    }

    func value(_ name: FieldName, _ record: DynamicRecord) -> DynamicValue {
        if let followed = follow(name, record) { return followed }
        guard let place = type.fieldIndex(named: name.parts[0]) else { return .none }
        var (value, type) = (record.values[place], type.fields[place].type)
        for part in name.parts.dropFirst() {
            guard case .embedded(let schema) = type.unwrapped, case .fields(let values) = value,
                let inner = schema.fields.firstIndex(where: { $0.name == part })
            else { return .none }
            (value, type) = (values[inner], schema.fields[inner].type)
        }
        return value
    }

    /// Returns the type of a field, without optionality.
    private func fieldType(_ name: FieldName) -> FieldType? {
        var type = type.fieldIndex(named: name.parts[0]).map { self.type.fields[$0].type.unwrapped }
        for part in name.parts.dropFirst() {
            guard case .embedded(let schema) = type else { return nil }
            type = schema.fields.first { $0.name == part }?.type.unwrapped
        }
        return type
    }

    func holds(_ node: ConditionNode, _ record: DynamicRecord) -> Bool {
        switch node {
        case .constant(let value): value
        case .comparison(let name, let comparison, let other): holds(comparison, value(name, record), other)
        case .fieldComparison(let left, let comparison, let right):
            holds(comparison, value(left, record), value(right, record))
        case .arithmetic(let left, let comparison, let right): holds(left, comparison, right, record)
        case .elements, .inverse: isMet(node, record)
        case .membership(let name, let values): values.contains { compare($0, value(name, record)) == 0 }
        case .text(let name, let test, let pattern, let options):
            if case .string(let text) = value(name, record) { passes(text, test, pattern, options) } else { false }
        case .element(let name, let element):
            if case .list(let list) = value(name, record) { list.contains(element) } else { false }
        case .size(let name, let comparison, let size):
            if case .list(let list) = value(name, record) {
                holds(comparison, .int(Int64(list.count)), .int(Int64(size)))
            } else {
                comparison == .notEqual
            }
        case .and(let parts): parts.allSatisfy { holds($0, record) }
        case .or(let parts): parts.contains { holds($0, record) }
        case .not(let part): !holds(part, record)
        case .found, .invalid: false
        }
    }

    private func holds(_ comparison: Comparison, _ left: DynamicValue, _ right: DynamicValue) -> Bool {
        let order = compare(left, right)
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return left != .none && right != .none && order < 0
        case .lessOrEqual: return left != .none && right != .none && order <= 0
        case .greater: return left != .none && right != .none && order > 0
        case .greaterOrEqual: return left != .none && right != .none && order >= 0
        }
    }

    private func holds(
        _ left: ArithmeticNode, _ comparison: Comparison, _ right: ArithmeticNode, _ record: DynamicRecord
    ) -> Bool {
        if isDouble(left) || isDouble(right) {
            return holds(comparison, double(left, record), double(right, record))
        }
        let (own, other) = (integer(left, record), integer(right, record))
        guard let own, let other else {
            return holds(comparison, own == nil ? .none : .int(0), other == nil ? .none : .int(0))
        }
        return holds(comparison, .int(own < other ? -1 : own > other ? 1 : 0), .int(0))
    }

    private func isDouble(_ node: ArithmeticNode) -> Bool {
        switch node {
        case .field(let name): fieldType(name) == .double
        case .value(let value): if case .double = value { true } else { false }
        case .operation(let left, _, let right): isDouble(left) || isDouble(right)
        }
    }

    private func integer(_ node: ArithmeticNode, _ record: DynamicRecord) -> Int128? {
        switch node {
        case .field(let name): integer(value(name, record))
        case .value(let value): integer(value)
        case .operation(let left, let sign, let right):
            if let left = integer(left, record), let right = integer(right, record) {
                // The generator stays far from the limits of 128 bits.
                switch sign {
                case .add: left + right
                case .subtract: left - right
                case .multiply: left * right
                case .divide: right == 0 ? nil : left / right
                case .remainder: right == 0 ? nil : left % right
                }
            } else {
                nil
            }
        }
    }

    private func integer(_ value: DynamicValue) -> Int128? {
        switch value {
        case .int(let value): Int128(value)
        case .uint(let value): Int128(value)
        default: nil
        }
    }

    private func double(_ node: ArithmeticNode, _ record: DynamicRecord) -> DynamicValue {
        switch node {
        case .field(let name): double(value(name, record))
        case .value(let value): double(value)
        case .operation(let left, let sign, let right):
            if case .double(let left) = double(left, record), case .double(let right) = double(right, record) {
                switch sign {
                case .add: .double(left + right)
                case .subtract: .double(left - right)
                case .multiply: .double(left * right)
                case .divide: .double(left / right)
                case .remainder: .double(fmod(left, right))
                }
            } else {
                .none
            }
        }
    }

    private func double(_ value: DynamicValue) -> DynamicValue {
        if case .double = value { return value }
        return integer(value).map { .double(Double($0)) } ?? .none
    }

    private func passes(_ text: String, _ test: TextTest, _ pattern: String, _ options: TextOptions) -> Bool {
        // The pools contain only letters for which case folding equals lowercasing.
        let fold = { (text: String) in
            Array((options.contains(.caseInsensitive) ? text.lowercased() : text).unicodeScalars)
        }
        let (text, pattern) = (fold(text), fold(pattern))
        switch test {
        case .equals: return text == pattern
        case .startsWith: return text.starts(with: pattern)
        case .endsWith: return text.reversed().starts(with: pattern.reversed())
        case .contains:
            if pattern.count > text.count { return false }
            return (0...text.count - pattern.count).contains { text[$0...].starts(with: pattern) }
        }
    }

    /// Compares two values; none comes first.
    func compare(_ left: DynamicValue, _ right: DynamicValue) -> Int {
        switch (left, right) {
        case (.none, .none): return 0
        case (.none, _): return -1
        case (_, .none): return 1
        case (.int(let left), .int(let right)): return left < right ? -1 : left > right ? 1 : 0
        case (.uint(let left), .uint(let right)): return left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)):
            if left.isNaN || right.isNaN { return left.isNaN == right.isNaN ? 0 : left.isNaN ? 1 : -1 }
            return left < right ? -1 : left > right ? 1 : 0
        case (.string(let left), .string(let right)):
            // UTF-8 bytes have the same order as Unicode scalars.
            if !left.utf8.contains(0), !right.utf8.contains(0) { return Int(unsafe strcmp(left, right)) }
            return left.utf8.elementsEqual(right.utf8) ? 0 : left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        default: preconditionFailure("the generator compares \(left) with \(right)")
        }
    }
}
