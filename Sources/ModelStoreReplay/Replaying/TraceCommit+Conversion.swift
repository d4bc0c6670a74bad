import StoreEngine
import StoreRuntime

extension TraceCommit {
    /// Returns the changes of this change set, by the schema at its position in the trace.
    ///
    /// - Throws: ``TraceMistake``.
    func applied(_ schema: TraceSchema) throws -> [AppliedChange] {
        try changes.map { change in
            switch change {
            case .insert(let name, let record):
                let type = try schema.type(named: name)
                return AppliedChange(type: type.id, .insert(try type.values(record, schema.form)))
            case .update(let name, let id, let set, _):
                let type = try schema.type(named: name)
                let fields = try set.map { member in
                    guard let fieldIndex = type.fieldIndex(named: member.key) else {
                        throw TraceMistake("\(name) has no field \(member.key)")
                    }
                    return (fieldIndex, try type.value(member.value, of: type.fields[fieldIndex], schema.form))
                }
                return AppliedChange(type: type.id, .update(id: try type.id(id, schema.form), fields: fields))
            case .delete(let name, let record):
                let type = try schema.type(named: name)
                return AppliedChange(type: type.id, .delete(id: try type.id(type.id(in: record), schema.form)))
            case .schema, .reset: throw TraceMistake("a schema change or a reset is not alone in its change set")
            }
        }
    }

    /// The single change of the schema, or the reset, of this change set; nil for other change sets.
    var single: TraceChange? {
        guard changes.count == 1 else { return nil }
        switch changes[0] {
        case .schema, .reset: return changes[0]
        case .insert, .update, .delete: return nil
        }
    }

    /// Returns the write that replays this change set.
    func write(_ content: ReplayedWrite.Content) -> ReplayedWrite {
        ReplayedWrite(
            time: time, originName: originName, processID: processID, epoch: epoch, seed: action?.seed ?? 0, content)
    }
}
