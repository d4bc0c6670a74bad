package import StoreEngine
package import StoreRuntime

extension TraceDelivery {
    /// What a subscriber was given, by the schema of the step.
    ///
    /// - Parameters:
    ///   - shown: the position that is shown.
    ///   - isFirst: whether it was given nothing before by this subscription.
    ///   - form: how the trace writes values.
    /// - Throws: `StoreError`: `unknownType`, `damaged`.
    package init(
        _ number: Int, _ step: LiveStep, of key: LiveKey, shown: UInt64, isFirst: Bool, _ form: ValueForm
    ) throws(StoreError) {
        self.number = number
        // At first a result says when it was read, which may be before or after: others may have asked for it, too.
        sequence = isFirst ? shown : step.new.position.sequence
        if key.isCount {
            content = .count(step.new.count)
            return
        }
        let catalog = step.new.catalog
        let type = catalog.types[try catalog.requirePlace(ofTypeNamed: key.typeName)]
        let update = try DynamicUpdate(step, typeID: type.type.id)
        if let changes = update.changes, !isFirst {
            content = .changes(changes.map { $0.traceJSON(type, form) })
        } else {
            var rows: [JSONValue] = []
            for index in 0..<update.rows.count { rows.append(try update.rows.record(index).json(type.type, form)) }
            content = .rows(rows)
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
