package import StoreEngine
package import StoreRuntime

extension TraceDelivery {
    /// The delivery to a subscriber, with the schema of the step.
    ///
    /// - Parameters:
    ///   - shown: the published position.
    ///   - isFirst: whether this is the first delivery of the subscription.
    ///   - form: how the trace writes values.
    /// - Throws: `StoreError` with the code `damaged`.
    package init(
        _ number: Int, _ step: LiveStep, of key: LiveKey, shown: UInt64, isFirst: Bool, _ form: ValueForm
    ) throws(StoreError) {
        self.number = number
        // The first result carries the position at which it was read. That may be before or after, because another subscriber may
        // have requested it.
        sequence = isFirst ? shown : step.new.position.sequence
        if key.isCount {
            content = .count(step.new.count)
            return
        }
        let type = step.new.type
        let update = DynamicUpdate(step)
        var parts: [JSONValue] = []
        if step.difference != nil, !isFirst {
            for number in 0..<update.changeCount { parts.append(try update.change(number).traceJSON(type, form)) }
            content = .changes(parts)
        } else {
            for index in 0..<update.rows.count { parts.append(try update.rows.record(index).json(type.type, form)) }
            content = .rows(parts)
        }
    }
}

extension DynamicRowChange {
    fileprivate func traceJSON(_ type: OpenType, _ form: ValueForm) -> JSONValue {
        func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
        return switch kind {
        case .delete: .array([.string("delete"), number(index), record.idJSON(type)])
        case .move(let from): .array([.string("move"), number(from), number(index)])
        case .insert: .array([.string("insert"), number(index), record.json(type.type, form)])
        case .update(let changed):
            .array([
                .string("update"), number(index),
                .object(changed.map { name in JSONMember(name, record.json(type.type, form)[name] ?? .null) }),
            ])
        }
    }
}
