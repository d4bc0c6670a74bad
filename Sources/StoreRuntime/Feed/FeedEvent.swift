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
        /// A record type was added or changed.
        case schema
        /// Records changed in a way the feed does not tell: read them afresh.
        case reset
    }

    /// What it tells.
    public let operation: Operation
    /// Names the change for all time and in all copies of the store: who gets an event again knows it by its id.
    public let id: String
    /// The name of the record type; `*` for a reset of all.
    public let typeName: String
    /// The id's fields of the record as a JSON object, what brokers take for a message's key; nil where the event is of no
    /// record.
    public let key: String?
    /// Where a reader stands that has dealt with this event and all before it. Before the change set of the event until its
    /// last one: a change set is resumed as a whole.
    public let position: Position
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
        for (place, change) in changes.enumerated() {
            let isLast = isLastPart && place == changes.count - 1
            let source = FeedEventSource(self, name: name, position: isLast ? position : positionBefore)
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

    /// The version of the form; goes up when a member changes its meaning.
    private static let version = "1"

    init(_ set: ChangeSet, name: String, position: Position) {
        self.set = set
        self.name = name
        self.position = position
    }

    func event(_ change: RecordChange, at time: Date) throws(StoreError) -> FeedEvent {
        let operation = FeedEvent.Operation(change.kind)
        let (before, after) = (try change.before(), try change.after())
        let key = (after ?? before).flatMap { FeedEventSource.key(of: $0, change.type) }
        var members = [
            JSONMember("op", .string(operation.rawValue)), JSONMember("before", before ?? .null),
            JSONMember("after", after ?? .null), JSONMember("source", source(change)),
            JSONMember("ts_ms", FeedEventSource.milliseconds(time)), JSONMember("id", .string(change.idempotencyKey)),
            JSONMember("key", key ?? .null),
            JSONMember("transaction", transaction(change)),
        ]
        if operation == .update {
            members.append(JSONMember("changed", .array(change.changedFields.map { .string($0) })))
        }
        if let schema = try change.schema() { members.append(JSONMember("schema", schema)) }
        return FeedEvent(
            operation: operation, id: change.idempotencyKey, typeName: change.typeName,
            key: key.map { JSONWriter.text(of: $0) }, position: position, json: JSONWriter.text(of: .object(members)))
    }

    private func source(_ change: RecordChange) -> JSONValue {
        .object([
            JSONMember("version", .string(FeedEventSource.version)), JSONMember("connector", .string("modelstore")),
            JSONMember("name", .string(name)), JSONMember("ts_ms", FeedEventSource.milliseconds(set.time)),
            JSONMember("snapshot", .bool(false)), JSONMember("store", .string(position.store.uuidString)),
            JSONMember("table", .string(change.typeName)),
            // As in the token: numbers of this size are not exact in every language.
            JSONMember("epoch", .string(String(change.name.epoch, radix: 16))),
            JSONMember("sequence", .number(JSONNumber(change.name.sequence))),
            JSONMember("position", .string(position.description)), JSONMember("origin", .string(set.origin.name)),
            JSONMember("process", .number(JSONNumber(Int64(set.origin.processID)))),
        ])
    }

    private func transaction(_ change: RecordChange) -> JSONValue {
        let name = change.name
        let id = "\(name.store.uuidString).\(String(name.epoch, radix: 16)).\(name.sequence)"
        return .object([
            JSONMember("id", .string(id)), JSONMember("total_order", .number(JSONNumber(name.index + 1))),
        ])
    }

    private static func key(of record: JSONValue, _ type: OpenType?) -> JSONValue? {
        guard let type else { return nil }
        let names = type.idParts.map { type.type.fields[$0.place].name }
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
