import LMDB

/// Reads the net difference between a position and now, by record, in parts.
///
/// It iterates over the records in the order of the change sets in which they changed last. First it reads the trail, which
/// covers the change sets that have left the feed, and then the feed itself.
///
/// Each part contains the rows of its own snapshot, so the walk holds no snapshot between two parts. If a record changes in the
/// meantime, the walk meets it again later. When the walk reaches the newest change set of a snapshot, the last row of each
/// record is therefore its row in that snapshot. A reader can follow the feed from there.
package struct TrailWalk: Sendable {
    /// A part of the difference.
    package struct Part: Sendable {
        package let difference: FeedDifference
        /// The position from which to follow the feed, if this is the last part.
        package let end: Position?
    }

    private let since: Position
    /// The walk has delivered all records whose last change is in this change set or an earlier one.
    private var reached: UInt64
    /// The key of the last mark of the trail that was read.
    private var mark: [UInt8]?
    /// Reads change sets that the trail does not cover yet.
    private var walk: FeedWalk?
    private var given = GivenRecords()
    /// The newest change of each type that was delivered.
    private var deliveredTypes: [ChangedType: UInt64] = [:]

    private struct ChangedType: Hashable, Sendable {
        let kind: ChangeKind
        let type: UInt32
    }

    /// A record that the walk met.
    private struct Met {
        let name: TrailKey.Record
        /// The change set in which the walk met it.
        var sequence: UInt64
        /// Whether a record existed under its id at the position, if the trail or the feed shows it there.
        let wasThere: Bool?
        /// The encoded id, if the record was deleted in that change set.
        var deletedID: [UInt8]?
    }

    /// Creates a walk from a position that ``ReadContext/requireDifference(since:)`` has checked.
    package init(since position: Position) {
        since = position
        reached = position.sequence
    }

    /// Reads the next part.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of records, and about the maximum number of changes to examine.
    ///   - filters: selects records by their current state; nil for all records.
    /// - Throws: ``StoreError``: `positionCompacted` when the trail has forgotten the next records; `damaged`.
    package mutating func read(
        _ scope: ReadContext, limit: Int, _ filters: FeedFilters?
    ) throws(StoreError) -> Part {
        let before = (reached, mark, walk, deliveredTypes)
        var met: [(TrailKey.Record, GivenRecords.Given)] = []
        do {
            let part = try readOn(scope, limit: max(limit, 1), filters, &met)
            for (name, given) in met { self.given.add(name, given) }
            return part
        } catch {
            // The failed part was not delivered, so the next call reads it again.
            (reached, mark, walk, deliveredTypes) = before
            throw StoreError(reading: error, at: "the difference")
        }
    }

    private mutating func readOn(
        _ scope: ReadContext, limit: Int, _ filters: FeedFilters?,
        _ added: inout [(TrailKey.Record, GivenRecords.Given)]
    ) throws -> Part {
        let head = try scope.feedHead()
        let noted = try scope.requireTrail(from: reached, head)
        var records = try changedTypes(scope, noted: noted, filters)
        var met: [Met] = []
        if reached < noted {
            met = try readTrail(scope, to: noted, limit: limit)
        } else if reached < head.sequence {
            met = try readFeed(scope, limit: limit, filters, &records)
        }
        for record in met {
            if let entry = try entry(of: record, scope, newest: head.sequence, filters, &added) {
                records.append(entry)
            }
        }
        let isEnd = reached == head.sequence && walk?.isInside != true
        let difference = FeedDifference(
            since: since, reached: reached, newest: head.sequence, records: records, scope.state)
        return Part(difference: difference, end: isEnd ? Position(store: scope.state.identity, head: head) : nil)
    }

    // MARK: Reading the trail

    private mutating func changedTypes(
        _ scope: ReadContext, noted: UInt64, _ filters: FeedFilters?
    ) throws(StoreError) -> [DifferenceEntry] {
        guard reached < noted, let trail = try TrailReader(scope.state.databases, scope.snapshot) else { return [] }
        var records: [DifferenceEntry] = []
        for (kind, type, sequence) in try trail.changedTypes() {
            if let entry = entry(of: kind, type, sequence, scope, filters) { records.append(entry) }
        }
        return records
    }

    private mutating func readTrail(
        _ scope: ReadContext, to noted: UInt64, limit: Int
    ) throws(StoreError) -> [Met] {
        walk = nil
        guard let trail = try TrailReader(scope.state.databases, scope.snapshot) else { return [] }
        let marks = try trail.marks(atLeast: mark.map { $0 + [0] } ?? TrailKey.marks(after: reached), limit: limit)
        let known = marks.prefix { $0.sequence <= noted }
        var met: [Met] = []
        for found in known {
            guard let note = try trail.note(of: found.record) else {
                throw StoreError(
                    CodecError("it lacks the note of a record that changed in change set \(found.sequence)"),
                    at: "the trail")
            }
            met.append(
                Met(
                    name: found.record, sequence: found.sequence, wasThere: note.wasThere(after: since.sequence),
                    deletedID: note.isDeleted ? note.id : nil))
        }
        if let last = known.last, known.count == limit {
            reached = last.sequence - 1
            mark = last.key
        } else {
            reached = noted
            mark = nil
        }
        return met
    }

    // MARK: Reading the feed

    private mutating func readFeed(
        _ scope: ReadContext, limit: Int, _ filters: FeedFilters?, _ records: inout [DifferenceEntry]
    ) throws -> [Met] {
        var next: FeedWalk
        if let walk, walk.position.sequence == reached {
            next = walk
        } else {
            next = FeedWalk(after: try scope.storedPosition(at: reached), reachesBack: true)
        }
        let trail = try TrailReader(scope.state.databases, scope.snapshot)
        var met: [Met] = []
        var metIndexes: [TrailKey.Record: Int] = [:]
        for part in try next.read(scope, FeedWalk.Limits(changes: limit)) {
            for change in part.changes {
                guard change.isOfRecord else {
                    if let entry = entry(of: change.kind, change.type, part.sequence, scope, filters) {
                        records.append(entry)
                    }
                    continue
                }
                guard let type = ChangeSet.type(of: change, scope.state) else { continue }
                let bytes = unsafe try RecordBytes(unverified: change.record.span.bytes)
                let deletedID = change.kind == .delete ? try RecordBody.encodedID(of: bytes, type) : nil
                let name = TrailKey.Record(type: change.type, key: change.key)
                if let metIndex = metIndexes[name] {
                    met[metIndex].sequence = part.sequence
                    met[metIndex].deletedID = deletedID
                    continue
                }
                metIndexes[name] = met.count
                let note = try trail?.note(of: name).flatMap { $0.sequence > since.sequence ? $0 : nil }
                met.append(
                    Met(
                        name: name, sequence: part.sequence,
                        wasThere: note.map { $0.wasThere(after: since.sequence) } ?? wasThere(change, bytes),
                        deletedID: deletedID))
            }
        }
        walk = next
        reached = next.position.sequence
        return met
    }

    /// Returns whether a record existed at the position, from the first known change after it.
    private func wasThere(_ change: FeedChange, _ record: RecordBytes) -> Bool? {
        if change.kind != .insert, record.incarnation <= since.sequence { return true }
        return change.kind == .insert && given.isComplete ? false : nil
    }

    // MARK: Making entries

    private mutating func entry(
        of kind: ChangeKind, _ type: UInt32, _ sequence: UInt64, _ scope: ReadContext, _ filters: FeedFilters?
    ) -> DifferenceEntry? {
        let changed = ChangedType(kind: kind, type: type)
        guard sequence > deliveredTypes[changed] ?? since.sequence else { return nil }
        deliveredTypes[changed] = sequence
        guard type == .max || filters?.wantsSome(of: type) ?? true else { return nil }
        let typeIndex = scope.state.catalog.typeIndex(ofID: type)
        return DifferenceEntry(
            state: kind == .schema ? .schema : .reset, before: .unknown, typeNumber: type,
            type: typeIndex.map { scope.state.catalog.types[$0] },
            described: scope.state.catalog.description(ofID: type), id: [], row: nil)
    }

    private func entry(
        of met: Met, _ scope: ReadContext, newest: UInt64, _ filters: FeedFilters?,
        _ added: inout [(TrailKey.Record, GivenRecords.Given)]
    ) throws -> DifferenceEntry? {
        let earlier = given[met.name]
        // The record was already delivered in its state after this change.
        if let delivered = earlier?.newest, delivered >= met.sequence { return nil }
        guard let typeIndex = scope.state.catalog.typeIndex(ofID: met.name.type),
            filters?.wantsSome(of: met.name.type) ?? true
        else { return nil }
        let type = scope.state.catalog.types[typeIndex]
        let wasThere = earlier?.wasThere ?? met.wasThere
        guard let stored = unsafe try scope.value(type.database, key: met.name.key.span.bytes) else {
            // If another change set deleted the record, that one comes later in the walk, and contains the id.
            let newestDelivered = met.deletedID == nil ? earlier?.newest : newest
            added.append((met.name, GivenRecords.Given(newest: newestDelivered, wasThere: wasThere)))
            guard let id = met.deletedID else { return nil }
            return DifferenceEntry(
                state: .absent, before: wasThere.map { $0 ? .same : .nothing } ?? .unknown, typeNumber: met.name.type,
                type: type, described: type.type, id: id, row: nil)
        }
        added.append((met.name, GivenRecords.Given(newest: newest, wasThere: wasThere)))
        return try present(stored, met.name, wasThere, type, scope, filters)
    }

    private func present(
        _ stored: RawSpan, _ name: TrailKey.Record, _ wasThere: Bool?, _ type: OpenType, _ scope: ReadContext,
        _ filters: FeedFilters?
    ) throws -> DifferenceEntry {
        do throws(CodecError) {
            let record = try RecordBytes(stored)
            var before = DifferenceEntry.Before.same
            if record.incarnation > since.sequence {
                before = wasThere.map { $0 ? .another : .nothing } ?? .unknown
            }
            let isWanted = try filters?.pass(record, of: type) ?? true
            let row = try type.upgrade(fromVersion: record.schemaVersion)?.apply(to: record) ?? stored.array()
            return DifferenceEntry(
                state: isWanted ? .present : .unmatched, before: before, typeNumber: name.type, type: type,
                described: type.type, id: try RecordBody.encodedID(of: record, type), row: isWanted ? row : nil)
        } catch {
            throw scope.unreadable(type, key: unsafe name.key.span.bytes, error)
        }
    }
}
