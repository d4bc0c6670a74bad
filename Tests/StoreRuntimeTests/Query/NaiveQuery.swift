import Foundation
import StoreEngine

/// Answers requests in the plainest way: every record, tested and sorted by values. Shares no code with the engine's own
/// compiler, planner and keys.
struct NaiveQuery {
    let type: RecordType
    let request: Request
    /// The record that the request goes on behind, by its place in the order of ids.
    var last: Int?

    /// What a request over these records, which come in the order of ids, gives.
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

    /// The position behind a record.
    func position(_ record: DynamicRecord) -> RequestPosition {
        .row(Dictionary(uniqueKeysWithValues: zip(type.fields.map(\.name), record.values)))
    }

    /// The first of those that are equal in the fields of interest.
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

    private func value(_ name: FieldName, _ record: DynamicRecord) -> DynamicValue {
        type.place(ofFieldNamed: name.parts[0]).map { record.values[$0] } ?? .none
    }

    func holds(_ node: ConditionNode, _ record: DynamicRecord) -> Bool {
        switch node {
        case .constant(let value): value
        case .comparison(let name, let comparison, let other): holds(comparison, value(name, record), other)
        case .fieldComparison(let left, let comparison, let right):
            holds(comparison, value(left, record), value(right, record))
        case .membership(let name, let values): values.contains { compare($0, value(name, record)) == 0 }
        case .text(let name, let test, let pattern, let options):
            if case .string(let text) = value(name, record) { passes(text, test, pattern, options) } else { false }
        case .element(let name, let element):
            if case .list(let list) = value(name, record) { list.contains(element) } else { false }
        case .size(let name, let comparison, let size):
            if case .list(let list) = value(name, record) {
                holds(comparison, .int(Int64(list.count)), .int(Int64(size)))
            } else {
                false
            }
        case .and(let parts): parts.allSatisfy { holds($0, record) }
        case .or(let parts): parts.contains { holds($0, record) }
        case .not(let part): !holds(part, record)
        case .invalid: false
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

    private func passes(_ text: String, _ test: TextTest, _ pattern: String, _ options: TextOptions) -> Bool {
        // The pools hold letters for which lower case is all that folding does.
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

    /// None first, then by value.
    private func compare(_ left: DynamicValue, _ right: DynamicValue) -> Int {
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
            // The order of UTF-8's bytes is that of the scalars.
            if !left.utf8.contains(0), !right.utf8.contains(0) { return Int(unsafe strcmp(left, right)) }
            return left.utf8.elementsEqual(right.utf8) ? 0 : left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        default: preconditionFailure("the generator compares \(left) with \(right)")
        }
    }
}
