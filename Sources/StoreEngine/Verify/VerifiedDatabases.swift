import LMDB

/// The databases of an environment. All of them are opened before the verification begins, because opening a database later could
/// move the snapshot on.
struct VerifiedDatabases {
    private var databases: [String: LMDBDatabase] = [:]
    /// Entries of the main database that are not databases of a store.
    private var strangers: [String] = []

    init(_ snapshot: LMDBSnapshot) throws(StoreError) {
        let names = try VerifiedDatabases.names(snapshot)
        for name in names {
            guard let text = name.text else {
                strangers.append(name.hex)
                continue
            }
            do {
                databases[text] = try snapshot.openDatabase(named: text)
            } catch {
                // A plain value under a name is not a database. Any other error keeps the walk from beginning.
                guard error.code == .incompatible else { throw StoreError(error) }
                strangers.append(text)
            }
        }
    }

    subscript(name: String) -> LMDBDatabase? { databases[name] }

    /// Reports all entries that do not belong to a store's databases, and the fixed databases that are missing.
    func reportStrangers(knownTypes: Set<UInt32>, _ report: VerifyReport) {
        for name in StoreDatabases.fixedNames where databases[name] == nil {
            report.add(.missing, at: .database(name), "the database is missing")
        }
        for name in databases.keys.sorted() where !VerifiedDatabases.isKnown(name, knownTypes) {
            report.add(.unknown, at: .database(name), "the catalog does not list this database")
        }
        for name in strangers { report.add(.unknown, at: .database(name), "the entry is a value and not a database") }
    }

    /// Reports the databases that cannot be checked without the catalog.
    func reportUnchecked(_ snapshot: LMDBSnapshot, _ report: VerifyReport) {
        let read = [StoreDatabases.metadataName, StoreDatabases.catalogName]
        for name in databases.keys.sorted() where !read.contains(name) {
            reportUnchecked(name, "the catalog cannot be read", snapshot, report)
        }
    }

    /// Reports that the meaning of a database's entries was not checked, and how many of them can be read.
    func reportUnchecked(_ name: String, _ reason: String, _ snapshot: LMDBSnapshot, _ report: VerifyReport) {
        guard let database = databases[name] else { return }
        report.attempt(.database(name)) {
            var count = 0
            var cursor = try snapshot.openCursor(database)
            var isPositioned = try cursor.first()
            while isPositioned {
                count += 1
                isPositioned = try cursor.next()
            }
            report.add(
                .unchecked, at: .database(name),
                "it was not checked: \(reason); it has \(count) readable \(count == 1 ? "entry" : "entries")")
        }
    }

    /// Checks the pages of all databases and the free list, as LMDB needs them for changes.
    func checkPages(_ snapshot: LMDBSnapshot, _ report: VerifyReport) {
        report.attempt(.database("free list")) { try snapshot.requireSoundFreeList() }
        for (name, database) in databases.sorted(by: { $0.key < $1.key }) {
            report.attempt(.database(name)) { try snapshot.requireSoundPages(of: database) }
        }
    }

    // An index that the catalog does not name is reported with its type.
    private static func isKnown(_ name: String, _ knownTypes: Set<UInt32>) -> Bool {
        if StoreDatabases.fixedNames.contains(name) || StoreDatabases.optionalNames.contains(name) { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, let type = UInt32(parts[1]), knownTypes.contains(type) else { return false }
        if parts.count == 2 { return name == StoreDatabases.recordsName(type: type) }
        guard parts.count == 3, let index = UInt32(parts[2]) else { return false }
        return name == StoreDatabases.indexName(type: type, index: index)
    }

    /// Returns the names of the databases that the environment has for indexes of a type.
    func indexNames(type: UInt32) -> [String] {
        databases.keys.filter { $0.hasPrefix("index.\(type).") }.sorted()
    }

    private static func names(_ snapshot: LMDBSnapshot) throws(StoreError) -> [(text: String?, hex: String)] {
        var names: [(text: String?, hex: String)] = []
        do {
            // The unnamed database, which holds the names of all other databases. LMDB always gives it this handle.
            var cursor = try snapshot.openCursor(LMDBDatabase(handle: 1))
            var isPositioned = try cursor.first()
            while isPositioned {
                names.append((try? String(from: cursor.key), HexText.of(cursor.key)))
                isPositioned = try cursor.next()
            }
        } catch {
            throw StoreError(error)
        }
        return names
    }
}

extension StoreDatabases {
    /// The names of the databases that every store has.
    static let fixedNames = [metadataName, catalogName, feedName, consumersName]
    /// The names of the databases that a store may lack.
    static let optionalNames = [statisticsName, trailName]
}
