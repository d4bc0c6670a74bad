#if ServerSentEvents
import StoreEngine
import StoreRuntime

/// The events of one step of a live query. It makes them one at a time, so a long result never exists as text as a whole.
///
/// Only the last event has an id, so that a client whose connection breaks in the middle gets the whole step again.
struct EventBatch {
    private let step: LiveStep
    private let wasLost: Bool
    private let id: String
    /// How many events the batch has returned.
    private var count = 0

    /// - Parameters:
    ///   - step: the step to send.
    ///   - id: the id of the last event.
    ///   - wasLost: whether the client has results that it has to discard.
    init(_ step: LiveStep, id: EventID, wasLost: Bool) {
        self.step = step
        self.id = id.description
        self.wasLost = wasLost
    }

    /// The next event; nil after the last.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    mutating func next() throws(StoreError) -> ServerSentEvent? {
        defer { count += 1 }
        var rest = count
        if let difference = step.difference {
            if let event = try change(in: difference, &rest) { return event }
        } else {
            if wasLost || step.old != nil {
                if rest == 0 { return event("reset", [total]) }
                rest -= 1
            }
            if rest < rows.count { return event("snapshot", [index(rest), try record(rest)]) }
            rest -= rows.count
        }
        return rest == 0 ? event("ready", [total], id: id) : nil
    }

    private var rows: LiveRows { step.new.rows }
    private var type: OpenType { step.new.type }

    /// - Parameter rest: the index of the event. If it is past the events of the difference, the method subtracts their number.
    private func change(in difference: LiveDifference, _ rest: inout Int) throws(StoreError) -> ServerSentEvent? {
        if let old = step.old, rest < difference.deletes.count {
            // Deletes go in descending order, so that the indexes stay valid while the client removes rows one by one.
            let gone = difference.deletes[difference.deletes.count - 1 - rest]
            let id = try old.rows[gone].content.dynamicRecord(of: old.type).idJSON(old.type)
            return event("delete", [index(gone), JSONMember("id", id)])
        }
        rest -= difference.deletes.count
        if rest < difference.moves.count {
            let move = difference.moves[rest]
            return event(
                "move", [JSONMember("from", .number(JSONNumber(move.from))), index(move.to), try record(move.to)])
        }
        rest -= difference.moves.count
        if rest < difference.inserts.count {
            let new = difference.inserts[rest]
            return event("insert", [index(new), try record(new)])
        }
        rest -= difference.inserts.count
        if rest < difference.updates.count {
            let update = difference.updates[rest]
            return event("update", [index(update.to), changed(update), try record(update.to)])
        }
        rest -= difference.updates.count
        return nil
    }

    private func event(_ name: String, _ members: [JSONMember], id: String? = nil) -> ServerSentEvent {
        ServerSentEvent(name, data: JSONWriter.text(of: .object(members)), id: id)
    }

    private var total: JSONMember { JSONMember("count", .number(JSONNumber(rows.count))) }

    private func index(_ index: Int) -> JSONMember { JSONMember("index", .number(JSONNumber(index))) }

    private func record(_ index: Int) throws(StoreError) -> JSONMember {
        JSONMember("record", try rows[index].content.dynamicRecord(of: type).json(type.type))
    }

    private func changed(_ update: LiveDifference.Update) -> JSONMember {
        let names = type.type.fields.indices.filter { update.changedFieldIndexes.contains($0) }.map {
            type.type.fields[$0].name
        }
        return JSONMember("changed", .array(names.map { .string($0) }))
    }
}
#endif
