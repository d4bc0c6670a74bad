public import Foundation
public import StoreEngine

/// The records that a store has, as events with the operation `r`: what somebody begins with who keeps a copy elsewhere.
///
/// They are read in chunks, each from a snapshot of its own, so that no snapshot is held for long; a later chunk may have what was
/// written since. After the last come the change sets after ``position``: who then puts each change's `after` in the place of what
/// there is under the key, and takes away what is deleted, ends with what the store has. Meanwhile a record may go back to
/// what it was, since its changes after ``position`` come even if they were in its chunk.
///
/// ```swift
/// var records = try store.recordEvents(named: "thermo")
/// while let events = try records.next() { … }
/// for try await set in store.changes(since: records.position) { … }
/// ```
public struct RecordEvents: Sendable {
    private struct Chunk {
        let type: OpenType
        let rows: [DynamicRecord]
    }

    /// Where the feed goes on after the last record.
    public let position: Position
    private let store: Store
    private let name: String
    private let filters: [FeedFilter]
    private let limit: Int
    /// The types that are not read, by number, the next one last.
    private var types: [UInt32]
    private var mark: RowMark?
    /// What was read ahead, so that the last record is known for it.
    private var ahead: Chunk?

    init(_ store: Store, name: String, filters: [FeedFilter], limit: Int) throws {
        self.store = store
        self.name = name
        self.filters = filters
        self.limit = max(limit, 1)
        let transaction = try store.beginRead()
        let scope = transaction._reading
        position = try scope.feedPosition()
        var wanted = scope.catalog.types
        if !filters.isEmpty {
            _ = try FeedFilters(filters, scope.catalog)
            wanted = wanted.filter { type in filters.contains { $0.typeName == type.name } }
        }
        types = wanted.map(\.type.id).reversed()
    }

    /// The events of further records; nil after the last.
    ///
    /// - Parameter time: when the events are made.
    /// - Throws: ``StoreError``: `closed`, `damaged`.
    public mutating func next(at time: Date = Date()) throws -> [FeedEvent]? {
        let next = try ahead ?? read()
        guard let chunk = next else { return nil }
        ahead = try read()
        return chunk.rows.enumerated().map { number, record in
            event(record, chunk.type, isLast: ahead == nil && number == chunk.rows.count - 1, time)
        }
    }

    private func event(_ record: DynamicRecord, _ type: OpenType, isLast: Bool, _ time: Date) -> FeedEvent {
        var draft = EventDraft(.read, table: type.name, before: nil, after: record.json(type.type))
        draft.key = draft.after.flatMap { EventDraft.key(of: $0, type) }
        draft.changeSet = (position.epoch, position.sequence)
        let key = draft.key.map { JSONWriter.text(of: $0) } ?? ""
        let epoch = String(position.epoch, radix: 16)
        draft.id = "\(position.store.uuidString).\(epoch).\(position.sequence).\(type.name).\(key)"
        return draft.event(of: position.store, named: name, at: isLast ? position : nil, time: time)
    }

    /// The next chunk that has something; nil at the end.
    private mutating func read() throws -> Chunk? {
        while let number = types.last {
            let transaction = try store.beginRead()
            let scope = transaction._reading
            // A type that a migration has replaced since is told by the feed.
            guard let index = scope.catalog.typeIndex(ofID: number) else {
                endType()
                continue
            }
            let ready = filters.isEmpty ? nil : try FeedFilters(filters, scope.catalog)
            let (rows, mark) = try scope.dynamicChunk(typeIndex: index, after: mark, limit: limit, filters: ready)
            self.mark = mark
            if mark == nil { endType() }
            if !rows.isEmpty { return Chunk(type: scope.catalog.types[index], rows: rows) }
        }
        return nil
    }

    private mutating func endType() {
        types.removeLast()
        mark = nil
    }
}

extension Store {
    /// The records that there are, as events for other programs, and the position from which the feed goes on.
    ///
    /// - Parameters:
    ///   - name: what the events call the store.
    ///   - filters: which records; all when empty.
    ///   - chunk: how many records are read at once. At least 1.
    /// - Throws: ``StoreError``: `unknownType`, `invalidValue` when a filter does not fit; `closed`.
    public func recordEvents(
        named name: String, only filters: [FeedFilter] = [], chunk: Int = 1_000
    ) throws -> RecordEvents {
        try RecordEvents(self, name: name, filters: filters, limit: chunk)
    }
}
