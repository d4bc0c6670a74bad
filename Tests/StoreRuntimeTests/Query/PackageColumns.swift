import Foundation
import StoreEngine

/// Answers thousands of requests by testing every package. Each column holds the rank of every package's value among the distinct
/// values, so comparing values means comparing numbers. It shares no code with the engine's compiler, planner and keys.
final class PackageColumns {
    /// The values of a field.
    private struct Column {
        /// The distinct values in ascending order, and the index of each package's value; -1 for none.
        let values: [DynamicValue]
        let ranks: [Int]

        init(_ all: [DynamicValue]) {
            var (values, ranks): ([DynamicValue], [Int]) = ([], Array(repeating: -1, count: all.count))
            for place in all.indices.filter({ all[$0] != .none }).sorted(by: { Self.order(all[$0], all[$1]) < 0 }) {
                if values.last.map({ Self.order($0, all[place]) != 0 }) ?? true { values.append(all[place]) }
                ranks[place] = values.count - 1
            }
            self.values = values
            self.ranks = ranks
        }

        /// Returns the rank of the first value that is not less than `value`, and whether it equals `value`.
        func place(of value: DynamicValue) -> (rank: Int, isThere: Bool) {
            var (low, high) = (0, values.count)
            while low < high {
                let middle = (low + high) / 2
                if Self.order(values[middle], value) < 0 { low = middle + 1 } else { high = middle }
            }
            return (low, low < values.count && Self.order(values[low], value) == 0)
        }

        static func order(_ left: DynamicValue, _ right: DynamicValue) -> Int {
            switch (left, right) {
            // UTF-8 bytes have the same order as Unicode scalars.
            case (.string(let left), .string(let right)): Int(unsafe strcmp(left, right))
            case (.int(let left), .int(let right)): left < right ? -1 : left > right ? 1 : 0
            default: preconditionFailure("\(left) and \(right) are not compared")
            }
        }
    }

    /// The packages in key order.
    let packages: [DynamicRecord]
    let keys: [String]
    private let type: RecordType
    private var columns: [FieldName: Column] = [:]
    /// The dependencies of each package, as numbers of names.
    private let names: [DynamicValue: Int]
    private let depends: [[Int]]

    init(_ packages: [DynamicRecord], of type: RecordType) {
        self.packages = packages.sorted { Column.order($0.values[0], $1.values[0]) < 0 }
        keys = self.packages.map { if case .string(let key) = $0.values[0] { key } else { "" } }
        self.type = type
        let place = type.fieldIndex(named: "depends") ?? 0
        var names: [DynamicValue: Int] = [:]
        depends = self.packages.map { package in
            guard case .list(let elements) = package.values[place] else { return [] }
            return elements.map { name in
                if let number = names[name] { return number }
                let number = names.count
                names[name] = number
                return number
            }
        }
        self.names = names
    }

    /// Returns for each package whether it meets a condition.
    func holds(_ node: ConditionNode) -> [Bool] {
        switch node {
        case .constant(let value): return packages.map { _ in value }
        case .comparison(let name, let comparison, let value): return holds(column(name), comparison, value)
        case .membership(let name, let values):
            let column = column(name)
            let ranks = Set(
                values.compactMap { value in
                    if value == .none { return -1 }
                    let (rank, isThere) = column.place(of: value)
                    return isThere ? rank : nil
                })
            return column.ranks.map(ranks.contains)
        case .text(let name, let test, let pattern, _):
            // Each distinct text is tested once, however many packages have it.
            let column = column(name)
            let passing = column.values.map { passes($0, test, pattern) }
            return column.ranks.map { $0 >= 0 && passing[$0] }
        case .element(_, let element):
            let number = names[element]
            return depends.map { number.map($0.contains) ?? false }
        case .size(_, .equal, let size): return depends.map { $0.count == size }
        case .and(let parts): return combined(parts) { $0 && $1 }
        case .or(let parts): return combined(parts) { $0 || $1 }
        case .not(let part): return holds(part).map { !$0 }
        default: preconditionFailure("no request asks for \(node.text)")
        }
    }

    /// Returns the array positions of the packages that match a request.
    ///
    /// - Parameter holds: For each package, whether it meets the condition.
    func places(_ request: Request, where holds: [Bool]) -> [Int] {
        var found = holds.indices.filter { holds[$0] }
        let terms = request.order.map { (ranks: column($0.field).ranks, isDescending: $0.isDescending) }
        let isIDDescending = terms.last?.isDescending ?? false
        if !terms.isEmpty {
            found.sort { left, right in
                for term in terms where term.ranks[left] != term.ranks[right] {
                    return (term.ranks[left] < term.ranks[right]) != term.isDescending
                }
                return (left < right) != isIDDescending
            }
        }
        let kept = found.dropFirst(request.offset)
        return Array(kept.prefix(request.limit ?? kept.count))
    }

    private func column(_ name: FieldName) -> Column {
        if let column = columns[name] { return column }
        let place = type.fieldIndex(named: name.description) ?? 0
        let column = Column(packages.map { $0.values[place] })
        columns[name] = column
        return column
    }

    private func holds(_ column: Column, _ comparison: Comparison, _ value: DynamicValue) -> [Bool] {
        if value == .none {
            return column.ranks.map { rank in
                switch comparison {
                case .equal: rank < 0
                case .notEqual: rank >= 0
                default: false
                }
            }
        }
        let (place, isThere) = column.place(of: value)
        return column.ranks.map { rank in
            if rank < 0 { return comparison == .notEqual }
            let isEqual = isThere && rank == place
            return switch comparison {
            case .equal: isEqual
            case .notEqual: !isEqual
            case .less: rank < place
            case .lessOrEqual: rank < place || isEqual
            case .greater: rank >= place && !isEqual
            case .greaterOrEqual: rank >= place
            }
        }
    }

    private func passes(_ value: DynamicValue, _ test: TextTest, _ pattern: String) -> Bool {
        guard case .string(let text) = value else { return false }
        let (length, end) = (text.utf8.count, pattern.utf8.count)
        guard length >= end else { return false }
        return switch test {
        case .equals: unsafe strcmp(text, pattern) == 0
        case .startsWith: unsafe strncmp(text, pattern, end) == 0
        case .endsWith: unsafe text.withCString { unsafe strcmp($0 + (length - end), pattern) == 0 }
        case .contains: unsafe strstr(text, pattern) != nil
        }
    }

    private func combined(_ parts: [ConditionNode], _ combine: (Bool, Bool) -> Bool) -> [Bool] {
        guard var result = parts.first.map(holds) else { return [] }
        for part in parts.dropFirst() {
            let other = holds(part)
            for place in result.indices { result[place] = combine(result[place], other[place]) }
        }
        return result
    }
}
