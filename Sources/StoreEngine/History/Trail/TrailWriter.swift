package import LMDB

/// Adds change sets that leave the feed to the trail. It notes for each record the last of them that changed it, and forgets the
/// oldest notes beyond the limit.
package struct TrailWriter {
    /// The head to write: the range of change sets that the trail covers.
    package private(set) var head: TrailHead
    private let database: LMDBDatabase
    private let state: StoreState

    /// The maximum number of notes that one call forgets, in addition to twice the limit of changes that it adds.
    private static let forgottenPerCall = 4_096

    /// Opens the trail of a store; nil if it has none. Switches off a trail whose head cannot be read.
    package init?(_ state: StoreState, _ raw: inout LMDBWriteTransaction) throws(StoreError) {
        guard let database = state.databases.trail else { return nil }
        do {
            guard let head = try TrailReader.head(in: database, raw.snapshot) else { return nil }
            self.head = head
        } catch {
            guard error.code == .damaged else { throw error }
            try mapLMDB { () throws(LMDBError) in try raw.empty(database) }
            return nil
        }
        self.database = database
        self.state = state
    }

    /// Adds change sets before `oldest` to the trail, in order.
    ///
    /// A change set that cannot be read, or that changes more records than the limit, is left out. The trail then begins again
    /// after it.
    ///
    /// - Parameters:
    ///   - limit: about the maximum number of changes to add.
    ///   - walk: the point where reading stopped last, because a large change set takes several calls. Keep it only if the
    ///     transaction commits. It may be left out, because a change set can be added again.
    /// - Returns: whether there is more to do.
    package mutating func takeUp(
        before oldest: UInt64, atMost limit: Int, _ walk: inout FeedWalk?, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Bool {
        let before = head
        var left = limit
        while left > 0, head.noted + 1 < oldest {
            guard var next = try self.walk(goingOn: walk, before: oldest, &raw) else {
                walk = nil
                continue
            }
            do {
                left -= try takeUp(&next, before: oldest, atMost: left, &raw)
                walk = next
            } catch {
                guard error.code == .damaged else { throw error }
                walk = nil
                try beginAnew(after: head.noted + 1, &raw)
            }
        }
        try forget(atMost: TrailWriter.forgottenPerCall + 2 * limit, &raw)
        if head != before { try write(&raw) }
        return head.noted + 1 < oldest || head.count > head.limit
    }

    /// Writes the head.
    private func write(_ raw: inout LMDBWriteTransaction) throws(StoreError) {
        head._checkInvariants()
        try TrailSetting.write(head, in: database, &raw)
    }

    /// Forgets all notes and begins the trail again after a change set.
    private mutating func beginAnew(
        after sequence: UInt64, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        try mapLMDB { () throws(LMDBError) in try raw.empty(database) }
        head = TrailHead(limit: head.limit, floor: sequence, epochs: head.epochs)
        try write(&raw)
    }

    /// Returns a walk whose next change set is the first one that the trail does not cover.
    ///
    /// - Returns: nil if a program that does not know the trail has removed that change set. The trail has then begun again.
    private mutating func walk(
        goingOn walk: FeedWalk?, before oldest: UInt64, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> FeedWalk? {
        if let walk, walk.position.sequence == head.noted { return walk }
        let first = try ReadContext(snapshot: raw.snapshot, state: state).firstStored(after: head.noted)
        guard let first, first == head.noted + 1 else {
            try beginAnew(after: min(first ?? oldest, oldest) - 1, &raw)
            return nil
        }
        guard let start = try notedPosition(raw) else {
            try beginAnew(after: first, &raw)
            return nil
        }
        return FeedWalk(after: start, reachesBack: true)
    }

    /// Returns the position after the newest change set that the trail covers; nil if the next one is damaged.
    private func notedPosition(_ raw: borrowing LMDBWriteTransaction) throws(StoreError) -> Position? {
        do {
            return try ReadContext(snapshot: raw.snapshot, state: state).storedPosition(at: head.noted)
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// - Returns: the number of changes that were added, at least 1.
    private mutating func takeUp(
        _ walk: inout FeedWalk, before oldest: UInt64, atMost limit: Int, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Int {
        var limits = FeedWalk.Limits(changes: limit)
        limits.changeSets = Int(clamping: oldest - 1 - head.noted)
        let parts = try walk.read(ReadContext(snapshot: raw.snapshot, state: state), limits)
        var count = 1
        for part in parts {
            if part.header.changeCount > head.limit {
                walk = FeedWalk(after: part.position, reachesBack: true)
                try beginAnew(after: part.sequence, &raw)
                return count
            }
            head.note(epoch: part.header.epoch, of: part.sequence)
            do {
                for change in part.changes { try note(change, of: part.sequence, &raw) }
            } catch {
                throw StoreError(reading: error, at: "change set \(part.sequence), or the trail")
            }
            count += part.changes.count
            if part.isLast { head.noted = part.sequence }
        }
        return count
    }

    private mutating func note(
        _ change: FeedChange, of sequence: UInt64, _ raw: inout LMDBWriteTransaction
    ) throws {
        guard change.isOfRecord else {
            var value = ByteWriter(capacity: 16)
            value.append(sequence)
            unsafe try raw.put(
                database, key: TrailKey.type(change.type, change.kind).span.bytes, value: value.bytes)
            return
        }
        // No program can request records of a type that a migration has replaced.
        guard let type = ChangeSet.type(of: change, state) else { return }
        let bytes = unsafe try RecordBytes(unverified: change.record.span.bytes)
        let name = TrailKey.Record(type: change.type, key: change.key)
        let old = try TrailReader(state.databases, raw.snapshot)?.note(of: name)
        let new = TrailNote(
            after: old, sequence: sequence, incarnation: bytes.incarnation,
            deletedID: change.kind == .delete ? try RecordBody.encodedID(of: bytes, type) : nil)
        if let old {
            unsafe try raw.delete(database, key: TrailKey.mark(of: name, at: old.sequence).span.bytes)
        } else {
            head.count += 1
        }
        var value = ByteWriter(capacity: 64)
        new.encode(to: &value)
        unsafe try raw.put(database, key: TrailKey.note(of: name).span.bytes, value: value.bytes)
        value.removeAll()
        unsafe try raw.put(database, key: TrailKey.mark(of: name, at: sequence).span.bytes, value: value.bytes)
    }

    /// Forgets the oldest notes beyond the limit.
    private mutating func forget(atMost limit: Int, _ raw: inout LMDBWriteTransaction) throws(StoreError) {
        guard head.count > head.limit else { return }
        let count = Int(min(head.count - head.limit, UInt64(limit)))
        for mark in try oldestMarks(count, raw) where mark.sequence <= head.noted {
            do {
                unsafe try raw.delete(database, key: mark.key.span.bytes)
                unsafe try raw.delete(database, key: TrailKey.note(of: mark.record).span.bytes)
            } catch {
                throw StoreError(error)
            }
            head.count -= 1
            head.raise(to: mark.sequence)
        }
    }

    private func oldestMarks(
        _ count: Int, _ raw: borrowing LMDBWriteTransaction
    ) throws(StoreError) -> [(key: [UInt8], record: TrailKey.Record, sequence: UInt64)] {
        let trail = try TrailReader(state.databases, raw.snapshot)
        return try trail?.marks(atLeast: [TrailKey.sequenceMark], limit: count) ?? []
    }
}
