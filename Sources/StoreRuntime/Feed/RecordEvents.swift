public import Foundation
public import StoreEngine

/// The records of a store as events with the operation `r`. A program that keeps a copy elsewhere begins with them.
///
/// The records are read in chunks, each from a snapshot of its own, so that no snapshot is held for long. A later chunk may
/// include later writes. After the last chunk, continue with the change sets after ``position``. Store each change's `after`
/// under its key, and remove the records that are deleted: the copy then equals the store. Meanwhile a record may return to an
/// earlier value, because its changes after ``position`` come even if its chunk already included them.
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

    /// The position from which the feed continues after the last record.
    public let position: Position
    private let store: Store
    private let name: String
    private let filters: [FeedFilter]
    private let limit: Int
    /// The numbers of the types that are not read yet, the next one last.
    private var types: [UInt32]
    private var mark: RowMark?
    /// The chunk that was read ahead, to find out whether a record is the last.
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

    /// Returns the events of further records; nil after the last.
    ///
    /// - Parameter time: the time at which the events are made.
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

    /// Returns the next chunk that is not empty; nil at the end.
    private mutating func read() throws -> Chunk? {
        while let number = types.last {
            let transaction = try store.beginRead()
            let scope = transaction._reading
            // If a migration has replaced the type since, the feed reports that.
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
    /// Returns the current records as events for other programs, and the position from which the feed continues.
    ///
    /// - Parameters:
    ///   - name: the name of the store in the events.
    ///   - filters: which records to read; all records if empty.
    ///   - chunk: how many records are read at once. At least 1.
    /// - Throws: ``StoreError``: `unknownType`, `invalidValue` when a filter does not match the schema; `closed`.
    public func recordEvents(
        named name: String, only filters: [FeedFilter] = [], chunk: Int = 1_000
    ) throws -> RecordEvents {
        try RecordEvents(self, name: name, filters: filters, limit: chunk)
    }
}
