import LMDB

/// The trail in one snapshot: the records that changed in change sets that have left the feed.
@safe
struct TrailReader: ~Escapable {
    /// The range of change sets that the trail covers.
    let head: TrailHead
    private let database: LMDBDatabase
    private let snapshot: LMDBSnapshot

    /// Opens the trail of a store; nil if it has none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    @_lifetime(copy snapshot)
    init?(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws(StoreError) {
        guard let database = databases.trail, let head = try TrailReader.head(in: database, snapshot) else {
            return nil
        }
        self.head = head
        self.database = database
        self.snapshot = snapshot
    }

    /// Returns the head of the trail in its database; nil if the trail is switched off.
    static func head(in database: LMDBDatabase, _ snapshot: LMDBSnapshot) throws(StoreError) -> TrailHead? {
        let key = TrailKey.head
        do {
            guard let bytes = unsafe try snapshot.get(database, key: key.span.bytes) else { return nil }
            return try TrailHead(from: bytes)
        } catch {
            throw StoreError(reading: error, at: "the trail's head")
        }
    }

    /// Returns the note of a record.
    func note(of record: TrailKey.Record) throws(StoreError) -> TrailNote? {
        do {
            guard let bytes = unsafe try snapshot.get(database, key: TrailKey.note(of: record).span.bytes) else {
                return nil
            }
            return try TrailNote(from: bytes)
        } catch {
            throw StoreError(reading: error, at: "the trail")
        }
    }

    /// Returns some records, in the order of the change sets in which they changed last.
    ///
    /// - Parameter key: the lower bound of the marks to return.
    /// - Returns: the records, each with the key of its mark; fewer than `limit` at the end of the marks.
    func marks(
        atLeast key: [UInt8], limit: Int
    ) throws(StoreError) -> [(key: [UInt8], record: TrailKey.Record, sequence: UInt64)] {
        var found: [(key: [UInt8], record: TrailKey.Record, sequence: UInt64)] = []
        do {
            var cursor = try snapshot.openCursor(database)
            var isPlaced = unsafe try cursor.seek(atLeast: key.span.bytes)
            while isPlaced, found.count < limit,
                try cursor.key.loadInteger(at: 0, as: UInt8.self) == TrailKey.sequenceMark
            {
                let (record, sequence) = try TrailKey.mark(cursor.key)
                found.append((cursor.key.array(), record, sequence))
                isPlaced = try cursor.next()
            }
        } catch {
            throw StoreError(reading: error, at: "the trail")
        }
        return found
    }

    /// Returns the record types that changed or were reset, each with the newest change set that did so.
    func changedTypes() throws(StoreError) -> [(kind: ChangeKind, type: UInt32, sequence: UInt64)] {
        var found: [(kind: ChangeKind, type: UInt32, sequence: UInt64)] = []
        do {
            var cursor = try snapshot.openCursor(database)
            var isPlaced = unsafe try cursor.seek(atLeast: [TrailKey.typeMark].span.bytes)
            while isPlaced {
                let (kind, type) = try TrailKey.changedType(cursor.key)
                found.append((kind, type, try UInt64(from: cursor.value)))
                isPlaced = try cursor.next()
            }
        } catch {
            throw StoreError(reading: error, at: "the trail")
        }
        return found
    }
}
