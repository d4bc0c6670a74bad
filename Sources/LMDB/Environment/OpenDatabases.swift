/// The databases with open handles, by name and by handle.
struct OpenDatabases {
    private var databases: [String: LMDBDatabase] = [:]
    /// The names as LMDB stores them, by handle.
    private var names: [[UInt8]?] = []

    /// Returns the handle of a database; nil if it has none.
    subscript(name: String) -> LMDBDatabase? { databases[name] }

    /// Returns the name of a database, as LMDB stores it; nil if the handle is not open.
    func name(of database: LMDBDatabase) -> [UInt8]? {
        let number = Int(database.handle)
        return number < names.count ? names[number] : nil
    }

    mutating func add(_ name: String, _ database: LMDBDatabase) {
        let number = Int(database.handle)
        while names.count <= number { names.append(nil) }
        names[number] = Array(name.utf8)
        databases[name] = database
    }

    mutating func remove(_ database: LMDBDatabase) {
        for (name, other) in databases where other == database { databases[name] = nil }
        if Int(database.handle) < names.count { names[Int(database.handle)] = nil }
    }
}
