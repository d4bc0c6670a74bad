import LMDB

/// The trail as a snapshot shows it: which records changed in the change sets that have left the feed.
@safe
struct TrailReader: ~Escapable {
    /// How far it goes.
    let head: TrailHead
    private let database: LMDBDatabase
    private let snapshot: LMDBSnapshot

    /// The trail of a store; nil where it has none.
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

    /// The head of the trail in its database; nil where it is switched off.
    static func head(in database: LMDBDatabase, _ snapshot: LMDBSnapshot) throws(StoreError) -> TrailHead? {
        let key = TrailKey.head
        do {
            guard let bytes = unsafe try snapshot.get(database, key: key.span.bytes) else { return nil }
            return try TrailHead(from: bytes)
        } catch {
            throw StoreError(reading: error, at: "the trail's head")
        }
    }

    /// What is remembered of a record.
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

    /// Some records in the order of the change sets in which they changed last.
    ///
    /// - Parameter key: begins with the first mark that does not come before it.
    /// - Returns: the records, each with its mark's key; fewer than `limit` where there are no more.
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

    /// The record types that changed, or were reset, each with the newest change set that did it.
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
