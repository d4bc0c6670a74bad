/// Finds the live requests of one record type that a change of a record may concern.
struct TypeRouter: Sendable {
    /// The requests that are found by keys of the same fields.
    private struct Table: Sendable {
        let keys: RouteKeys
        let fieldIndexes: FieldIndexSet
        var points = SlotTable<[UInt8]>()
        var ranges = IntervalTree()
        var requestCount = 0
    }

    private let type: OpenType
    private var tables: [Table] = []
    /// The requests that every change concerns.
    private var whole = SlotList()

    init(_ type: OpenType) { self.type = type }

    /// Whether the router has no requests.
    var isEmpty: Bool { tables.isEmpty && whole.slots.isEmpty }

    func _checkInvariants() {
        for table in tables { table.ranges._checkInvariants() }
    }

    mutating func insert(_ slot: Int32, _ route: LiveRoute) {
        switch route.keys {
        case .none: return
        case .all:
            whole.insert(slot)
        case .points(let keys):
            let number = table(route.parts)
            for key in keys { tables[number].points.insert(slot, at: key) }
            tables[number].requestCount += 1
        case .ranges(let ranges):
            let number = table(route.parts)
            for range in ranges { tables[number].ranges.insert(range, slot) }
            tables[number].requestCount += 1
        }
    }

    mutating func remove(_ slot: Int32, _ route: LiveRoute) {
        let number = tables.firstIndex { $0.keys.parts == route.parts } ?? tables.count
        switch route.keys {
        case .none: return
        case .all:
            whole.remove(slot)
            return
        case .points(let keys): for key in keys { tables[number].points.remove(slot, at: key) }
        case .ranges(let ranges): for range in ranges { tables[number].ranges.remove(range, slot) }
        }
        tables[number].requestCount -= 1
        if tables[number].requestCount == 0 { tables.remove(at: number) }
    }

    private mutating func table(_ parts: [LiveRoute.Part]) -> Int {
        if let number = tables.firstIndex(where: { $0.keys.parts == parts }) { return number }
        tables.append(Table(keys: RouteKeys(parts, type), fieldIndexes: FieldIndexSet(parts.map(\.fieldIndex))))
        return tables.count - 1
    }

    /// Calls `body` with each request that the record may concern, before or after the change. Some requests may be passed twice.
    ///
    /// - Throws: ``CodecError`` where the record cannot be read. The change may then concern every request.
    func visit(_ change: StepChange, _ body: (Int32) -> Void) throws(CodecError) {
        for slot in whole.slots { body(slot) }
        for table in tables {
            let old = try change.before.map { content throws(CodecError) in try table.keys.key(content) }
            if let old { visit(table, old, body) }
            guard let after = change.after else { continue }
            // If none of the key's fields changed, the keys are equal.
            if old != nil, !change.changedFieldIndexes.intersects(table.fieldIndexes) { continue }
            let new = try table.keys.key(after)
            if new != old { visit(table, new, body) }
        }
    }

    private func visit(_ table: Table, _ key: [UInt8], _ body: (Int32) -> Void) {
        if !table.points.isEmpty { for slot in table.points[key] { body(slot) } }
        table.ranges.forEach(holding: key, body)
    }
}
