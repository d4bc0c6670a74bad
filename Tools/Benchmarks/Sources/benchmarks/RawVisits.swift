import CLMDBRaw

/// Raw LMDB's side of row 9e: records by id, and an index whose keys are the fields place and day and the id.
@safe
final class RawVisits {
    private let tables: RawTables
    private var records: MDB_dbi { tables.databases[0] }
    private var index: MDB_dbi { tables.databases[1] }

    init(directory: String) throws {
        tables = try RawTables(directory: directory, databases: ["visits", "place-day"])
    }

    func close() { tables.close() }

    func insert(_ visits: [Visit]) throws {
        let (key, value) = (tables.key, tables.value)
        try unsafe tables.write { transaction in
            for visit in visits {
                key.removeAll()
                key.append(keyOf: visit.id)
                value.removeAll()
                // As long as ModelStore's header and its offset table.
                value.append(zeros: 24)
                value.append(integer: visit.id)
                value.append(integer: visit.place)
                value.append(integer: visit.day)
                value.append(visit.guest)
                unsafe try tables.put(records, transaction)
                key.removeAll()
                key.append(keyOf: visit.place)
                key.append(keyOf: visit.day)
                key.append(keyOf: visit.id)
                value.removeAll()
                value.append(zeros: 2)
                unsafe try tables.put(index, transaction)
            }
        }
    }

    func fetch(place: Int, day: Int) throws -> Checksum {
        var checksum = Checksum()
        try unsafe tables.read { transaction in
            try unsafe tables.withCursor(index, transaction) { cursor in
                tables.key.removeAll()
                tables.key.append(keyOf: place)
                tables.key.append(keyOf: day)
                try unsafe tables.walkPrefix(cursor) { id in
                    var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(mutating: id))
                    var found = unsafe MDB_val()
                    try unsafe check(mdb_get(transaction, records, &key, &found), "mdb_get")
                    checksum.add(
                        unsafe Visit(
                            id: found.integer(at: 24), place: found.integer(at: 32), day: found.integer(at: 40),
                            guest: found.text(from: 48)))
                }
            }
        }
        return checksum
    }
}
