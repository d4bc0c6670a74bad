public import Foundation
public import StoreEngine

/// One change of the feed as a line of JSON, for brokers and for programs in other languages. The form is close to Debezium's
/// events.
///
/// <doc:ExportingTheFeed> lists every member of the JSON, and the guarantees.
public struct FeedEvent: Hashable, Sendable {
    /// The kind of an event, as its member `op` names it.
    public enum Operation: String, Hashable, Sendable, CaseIterable {
        /// A record was inserted.
        case create = "c"
        /// A record's fields changed.
        case update = "u"
        /// A record was deleted.
        case delete = "d"
        /// A record exists already when a reader begins.
        case read = "r"
        /// A record type was added or changed.
        case schema
        /// Records changed in a way that the feed does not describe: read them again.
        case reset
    }

    /// The kind of the event.
    public let operation: Operation
    /// Identifies the change for all time and in all copies of the store, so that a reader recognizes an event that it receives
    /// again. For a record that was read, identifies the record and the reading.
    public let id: String
    /// The name of the record type; `*` for a reset of all types.
    public let typeName: String
    /// The id fields of the record as a JSON object, which brokers use as a message's key; nil for an event without a record.
    public let key: String?
    /// The position of a reader that has handled this event and all events before it.
    ///
    /// Up to the last event of a change set, this is the position before the change set, because a change set is resumed as a
    /// whole. While records are read, this is nil until the last record, because reading them starts again from the beginning.
    public let position: Position?
    /// The event as one line of JSON, without a line end.
    public let json: String
}

extension ChangeSet {
    /// Returns the changes as events for other programs, in order.
    ///
    /// If the change set came in parts, returns the events of one part. An empty change set, which reports progress, gives no
    /// events.
    ///
    /// - Parameters:
    ///   - name: the name of the store in the events, for programs that receive events of several stores.
    ///   - time: the time at which the events are made.
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

/// The source of a change set's events, as the events describe it.
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
        let (before, after) = try change.states()
        var event = EventDraft(operation, table: change.typeName, before: before, after: after)
        event.id = change.idempotencyKey
        event.key = try change.key()
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

/// The parts of an event.
struct EventDraft {
    let operation: FeedEvent.Operation
    let table: String
    let before: JSONValue?
    let after: JSONValue?
    var id = ""
    var key: JSONValue?
    /// The time and the origin of the write; nil for a record that is read.
    var writing: (time: Date, origin: Origin)?
    var changeSet: (epoch: UInt64, sequence: UInt64) = (0, 0)
    /// The members that only some events have.
    var trailing: [JSONMember] = []

    /// The version of the form. It goes up when a member changes its meaning.
    private static let version = "1"

    init(_ operation: FeedEvent.Operation, table: String, before: JSONValue?, after: JSONValue?) {
        self.operation = operation
        self.table = table
        self.before = before
        self.after = after
    }

    /// Returns the event.
    func event(of store: UUID, named name: String, at position: Position?, time: Date) -> FeedEvent {
        let milliseconds = EventDraft.milliseconds
        let origin = writing?.origin
        let source = [
            JSONMember("version", .string(EventDraft.version)), JSONMember("connector", .string("modelstore")),
            JSONMember("name", .string(name)), JSONMember("ts_ms", milliseconds(writing?.time ?? time)),
            JSONMember("snapshot", .bool(operation == .read)), JSONMember("store", .string(store.uuidString)),
            JSONMember("table", .string(table)),
            // As text, as in the token: not every language represents numbers of this size exactly.
            JSONMember("epoch", .string(String(changeSet.epoch, radix: 16))),
            JSONMember("sequence", .number(JSONNumber(changeSet.sequence))),
            JSONMember("position", position.map { .string($0.description) } ?? .null),
            JSONMember("origin", origin.map { .string($0.name) } ?? .null),
            JSONMember("process", origin.map { .number(JSONNumber(Int64($0.processID))) } ?? .null),
            JSONMember("kind", origin.map { .string($0.kind.description) } ?? .null),
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

    /// Returns the id fields of a record.
    static func key(of record: JSONValue, _ type: OpenType?) -> JSONValue? {
        guard let type else { return nil }
        let names = type.idParts.map { type.type.fields[$0.fieldIndex].name }
        return .object(names.map { JSONMember($0, record[$0] ?? .null) })
    }

    private static func milliseconds(_ time: Date) -> JSONValue {
        let value = (time.timeIntervalSince1970 * 1_000).rounded(.down)
        // A clock may return any time.
        return .number(JSONNumber(Int64(exactly: value) ?? 0))
    }
}

extension FeedEvent.Operation {
    /// Returns the operation for a kind of change. Replacing a record with another under the same id is an update for readers
    /// that do not know incarnations.
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
