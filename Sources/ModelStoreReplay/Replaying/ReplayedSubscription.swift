import StoreEngine
import StoreExpressions
import StoreRuntime

/// A subscription of a trace, replayed.
final class ReplayedSubscription {
    /// Its request.
    let key: LiveKey
    private let steps: LiveSteps
    private let form: ValueForm
    private var hasBegun = false

    /// Whether the rows have an order other than the order of their ids.
    var hasOrder: Bool { !key.request.order.isEmpty }

    /// - Parameters:
    ///   - comparison: maps recorded ids to the replay's ids.
    ///   - form: how the trace writes values.
    /// - Returns: nil if the request uses a recorded id in a way that does not allow a replacement.
    /// - Throws: ``TraceMistake`` if the request does not match the store's schema; `StoreError`.
    init?(
        _ subscription: TraceSubscription, _ request: TraceRequest, in store: Store, _ comparison: ChangeComparison,
        _ form: ValueForm
    ) throws {
        self.form = form
        let types = store.recordTypes
        guard let type = types.first(where: { $0.name == subscription.typeName }) else {
            throw TraceMistake("there is no record type \(subscription.typeName)")
        }
        var wanted: Request
        do {
            wanted = try request.request(of: type, among: types)
        } catch {
            throw TraceMistake("the request cannot be read: \(error.message)")
        }
        guard let condition = comparison.mapped(wanted.condition, of: type, among: types) else { return nil }
        wanted.condition = condition
        key = LiveKey(
            typeName: subscription.typeName, request: wanted, fields: try request.fields(in: type),
            isCount: subscription.isCount)
        steps = try store.liveSteps(key)
    }

    /// Returns the current delivery to the subscriber; nil if there is none.
    ///
    /// - Parameter shown: the position that the store has published.
    func poll(at shown: UInt64) throws -> TraceDelivery? {
        guard let step = steps.poll() else { return nil }
        defer { hasBegun = true }
        return try TraceDelivery(0, step, of: key, shown: shown, isFirst: !hasBegun, form)
    }
}

extension TraceDelivery.Content {
    /// Returns the rows after this delivery.
    ///
    /// - Parameter rows: the rows before it.
    /// - Returns: nil for a delivery of a count, and if the changes do not apply to the rows.
    func rows(after rows: [JSONValue]) -> [JSONValue]? {
        switch self {
        case .count: return nil
        case .rows(let rows): return rows
        case .changes(let changes): return Self.apply(changes, to: rows)
        }
    }

    private static func apply(_ changes: [JSONValue], to old: [JSONValue]) -> [JSONValue]? {
        func rowIndex(_ change: JSONValue, _ index: Int) -> Int? { change[index]?.number?.int64.map(Int.init) }
        var removed: Set<Int> = []
        var added: [(index: Int, row: JSONValue)] = []
        for change in changes {
            guard let first = rowIndex(change, 1) else { return nil }
            switch change[0]?.string {
            case "delete": removed.insert(first)
            case "move":
                guard old.indices.contains(first), let to = rowIndex(change, 2) else { return nil }
                removed.insert(first)
                added.append((to, old[first]))
            case "insert": added.append((first, change[2] ?? .null))
            default: continue
            }
        }
        var rows = old.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
        for (index, row) in added.sorted(by: { $0.index < $1.index }) {
            guard (0...rows.count).contains(index) else { return nil }
            rows.insert(row, at: index)
        }
        for change in changes where change[0]?.string == "update" {
            guard let index = rowIndex(change, 1), rows.indices.contains(index), let set = change[2]?.object,
                case .object(var members) = rows[index]
            else { return nil }
            for member in set {
                guard let memberIndex = members.firstIndex(where: { $0.key == member.key }) else { return nil }
                members[memberIndex].value = member.value
            }
            rows[index] = .object(members)
        }
        return rows
    }
}
