public import Foundation
public import StoreEngine

/// One change of the feed in a form for programs in other languages and for brokers: a line of JSON, close to what those know who
/// read Debezium's events.
///
/// The article *Exporting the feed* lists every member of the JSON, and what is guaranteed.
public struct FeedEvent: Hashable, Sendable {
    /// What an event tells, as its member `op` names it.
    public enum Operation: String, Hashable, Sendable, CaseIterable {
        /// A record came to be.
        case create = "c"
        /// A record's fields changed.
        case update = "u"
        /// A record is gone.
        case delete = "d"
        /// A record that is there already when a reader begins.
        case read = "r"
        /// A record type was added or changed.
        case schema
        /// Records changed in a way the feed does not tell: read them afresh.
        case reset
    }

    /// What it tells.
    public let operation: Operation
    /// Names the change for all time and in all copies of the store: who gets an event again knows it by its id. For a record
    /// that was read, names the record and the reading.
    public let id: String
    /// The name of the record type; `*` for a reset of all.
    public let typeName: String
    /// The id's fields of the record as a JSON object, what brokers take for a message's key; nil where the event is of no
    /// record.
    public let key: String?
    /// Where a reader stands that has dealt with this event and all before it. Before the change set of the event until its
    /// last one: a change set is resumed as a whole. Nil while records are read, until the last of them: that begins anew.
    public let position: Position?
    /// The event as one line of JSON, without a line end.
    public let json: String
}

extension ChangeSet {
    /// The changes as events for other programs, in their order.
    ///
    /// A change set that came in parts gives the events of one part; one without changes, which tells of progress, gives none.
    ///
    /// - Parameters:
    ///   - name: what the events call the store, for those who take events of several.
    ///   - time: when the events are made.
    /// - Throws: ``StoreError`` with the code `damaged`.
    /// - Complexity: linear in the size of the records.
    public func events(named name: String, at time: Date = Date()) throws(StoreError) -> [FeedEvent] {
        var events: [FeedEvent] = []
        events.reserveCapacity(changes.count)
        let action = try self.action?.json()
        for (number, change) in changes.enumerated() {
            let isLast = isLastPart && number == changes.count - 1
            let source = FeedEventSource(
                self, name: name, action: action, position: isLast ? position : positionBefore)
            events.append(try source.event(change, at: time))
        }
        return events
    }
}

/// What the events of a change set say of where they come from.
private struct FeedEventSource {
    private let set: ChangeSet
    private let name: String
    private let position: Position
    private let action: JSONValue?

    init(_ set: ChangeSet, name: String, action: JSONValue?, position: Position) {
        self.set = set
        self.action = action
        self.name = name
        self.position = position
    }

    func event(_ change: RecordChange, at time: Date) throws(StoreError) -> FeedEvent {
        let operation = FeedEvent.Operation(change.kind)
        let name = change.name
        var event = EventDraft(
            operation, table: change.typeName, before: try change.before(), after: try change.after())
        event.id = change.idempotencyKey
        event.key = (event.after ?? event.before).flatMap { EventDraft.key(of: $0, change.type) }
        event.writing = (set.time, set.origin)
        event.changeSet = (name.epoch, name.sequence)
        event.trailing = [
            JSONMember(
                "transaction",
                .object([
                    JSONMember("id", .string(name.changeSet)),
                    JSONMember("total_order", .number(JSONNumber(name.index + 1))),
                ]))
        ]
        if operation == .update {
            event.trailing.append(JSONMember("changed", .array(change.changedFields.map { .string($0) })))
        }
        if let action { event.trailing.append(JSONMember("action", action)) }
        if let schema = try change.schema() { event.trailing.append(JSONMember("schema", schema)) }
        return event.event(of: name.store, named: self.name, at: position, time: time)
    }
}

/// What an event is made of.
struct EventDraft {
    let operation: FeedEvent.Operation
    let table: String
    let before: JSONValue?
    let after: JSONValue?
    var id = ""
    var key: JSONValue?
    /// When and by whom it was written; nil for a record that is read.
    var writing: (time: Date, origin: Origin)?
    var changeSet: (epoch: UInt64, sequence: UInt64) = (0, 0)
    /// The members that not all events have.
    var trailing: [JSONMember] = []

    /// The version of the form; goes up when a member changes its meaning.
    private static let version = "1"

    init(_ operation: FeedEvent.Operation, table: String, before: JSONValue?, after: JSONValue?) {
        self.operation = operation
        self.table = table
        self.before = before
        self.after = after
    }

    /// The event.
    func event(of store: UUID, named name: String, at position: Position?, time: Date) -> FeedEvent {
        let milliseconds = EventDraft.milliseconds
        let origin = writing?.origin
        let source = [
            JSONMember("version", .string(EventDraft.version)), JSONMember("connector", .string("modelstore")),
            JSONMember("name", .string(name)), JSONMember("ts_ms", milliseconds(writing?.time ?? time)),
            JSONMember("snapshot", .bool(operation == .read)), JSONMember("store", .string(store.uuidString)),
            JSONMember("table", .string(table)),
            // As in the token: numbers of this size are not exact in every language.
            JSONMember("epoch", .string(String(changeSet.epoch, radix: 16))),
            JSONMember("sequence", .number(JSONNumber(changeSet.sequence))),
            JSONMember("position", position.map { .string($0.description) } ?? .null),
            JSONMember("origin", origin.map { .string($0.name) } ?? .null),
            JSONMember("process", origin.map { .number(JSONNumber(Int64($0.processID))) } ?? .null),
        ]
        let members =
            [
                JSONMember("op", .string(operation.rawValue)), JSONMember("before", before ?? .null),
                JSONMember("after", after ?? .null), JSONMember("source", .object(source)),
                JSONMember("ts_ms", milliseconds(time)), JSONMember("id", .string(id)),
                JSONMember("key", key ?? .null),
            ] + trailing
        return FeedEvent(
            operation: operation, id: id, typeName: table, key: key.map { JSONWriter.text(of: $0) },
            position: position, json: JSONWriter.text(of: .object(members)))
    }

    /// The id's fields of a record.
    static func key(of record: JSONValue, _ type: OpenType?) -> JSONValue? {
        guard let type else { return nil }
        let names = type.idParts.map { type.type.fields[$0.fieldIndex].name }
        return .object(names.map { JSONMember($0, record[$0] ?? .null) })
    }

    private static func milliseconds(_ time: Date) -> JSONValue {
        let value = (time.timeIntervalSince1970 * 1_000).rounded(.down)
        // A clock may have said anything.
        return .number(JSONNumber(Int64(exactly: value) ?? 0))
    }
}

extension FeedEvent.Operation {
    /// The operation for a kind of change. A record that was replaced by another under its id is an update to those who know no
    /// incarnations.
    fileprivate init(_ kind: ChangeKind) {
        switch kind {
        case .insert: self = .create
        case .update, .replace: self = .update
        case .delete: self = .delete
        case .schema: self = .schema
        case .reset: self = .reset
        }
    }
}
