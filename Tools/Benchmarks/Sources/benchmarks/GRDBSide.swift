import GRDB

/// GRDB as its documentation advises for speed: a pool, cached statements, positional columns, no Codable.
final class GRDBSide: Side {
    let pool: DatabasePool

    private static let insertion = "INSERT INTO account (id, email, name, balance, region) VALUES (?, ?, ?, ?, ?)"
    private static let columns = "SELECT id, email, name, balance, region FROM account"
    private static let byID = "\(columns) WHERE id = ?"
    private static let byEmail = "\(columns) WHERE email = ?"
    private static let balanceByID = "SELECT balance FROM account WHERE id = ?"

    convenience init(directory: String) throws { try self.init(directory: directory, isTuned: true) }

    /// Opens the database, or creates it. With `isTuned`, its map and its cache hold the whole database.
    init(directory: String, isTuned: Bool) throws {
        pool = try Self.openPool(directory: directory, isTuned: isTuned)
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS account (
                        id INTEGER PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
                        balance INTEGER NOT NULL, region TEXT NOT NULL);
                    CREATE INDEX IF NOT EXISTS account_balance ON account (balance);
                    CREATE TABLE IF NOT EXISTS visit (
                        id INTEGER PRIMARY KEY NOT NULL, place INTEGER NOT NULL, day INTEGER NOT NULL,
                        guest TEXT NOT NULL);
                    CREATE INDEX IF NOT EXISTS visit_place_day ON visit (place, day);
                    """)
        }
    }

    /// Opens a pool whose commits survive a power loss.
    static func openPool(directory: String, isTuned: Bool) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            guard isTuned else { return }
            // LMDB can use the whole page cache of the system. SQLite's own cache is 2 MB by default, and a bulk insert in random
            // order then takes three times as long.
            try database.execute(sql: "PRAGMA mmap_size = 1073741824")
            try database.execute(sql: "PRAGMA cache_size = -65536")
        }
        let pool = try DatabasePool(path: "\(directory)/database.sqlite", configuration: configuration)
        // Not in `prepareDatabase`: the pool sets NORMAL after it, and then no commit would be synced.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2,
                try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
            else { throw BenchmarkError("SQLite does not sync its log at each commit") }
        }
        return pool
    }

    func close() throws { try pool.close() }

    /// Moves the log into the database, so that its size counts once.
    func checkpoint() throws {
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    private static func insert(_ account: Account, with statement: Statement) throws {
        // The number of arguments is correct, so no check for each row is needed.
        statement.setUncheckedArguments([account.id, account.email, account.name, account.balance, account.region])
        try statement.execute()
    }

    func insertTogether(_ accounts: [Account]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: Self.insertion)
            for account in accounts { try Self.insert(account, with: statement) }
        }
    }

    func insertOneByOne(_ accounts: [Account]) throws {
        for account in accounts {
            try pool.write { try Self.insert(account, with: $0.cachedStatement(sql: Self.insertion)) }
        }
    }

    /// Inserts from as many tasks as there are slices, each record in a transaction of its own.
    func insert(fromTasks slices: [ArraySlice<Account>]) async throws {
        let pool = pool
        try await withThrowingTaskGroup(of: Void.self) { group in
            for slice in slices {
                group.addTask {
                    for account in slice {
                        try await pool.write { try Self.insert(account, with: $0.cachedStatement(sql: Self.insertion)) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func find(_ statement: Statement, _ key: some DatabaseValueConvertible) throws -> Account? {
        // Decodes directly from the statement, without the copy that a fetched `Row` needs.
        statement.setUncheckedArguments([key])
        return try Account.fetchOne(statement)
    }

    func readOneByOne(_ ids: [Int]) throws -> Checksum {
        var checksum = Checksum()
        for id in ids {
            let found = try pool.read { try Self.find($0.cachedStatement(sql: Self.byID), id) }
            if let found { checksum.add(found) }
        }
        return checksum
    }

    func readTogether(_ ids: [Int]) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let statement = try database.cachedStatement(sql: Self.byID)
            for id in ids {
                if let found = try Self.find(statement, id) { checksum.add(found) }
            }
            return checksum
        }
    }

    func readBalances(_ ids: [Int]) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let statement = try database.cachedStatement(sql: Self.balanceByID)
            for id in ids {
                statement.setUncheckedArguments([id])
                if let balance = try Int.fetchOne(statement) { checksum.add(balance) }
            }
            return checksum
        }
    }

    func readByEmailOneByOne(_ emails: [String]) throws -> Checksum {
        var checksum = Checksum()
        for email in emails {
            let found = try pool.read { try Self.find($0.cachedStatement(sql: Self.byEmail), email) }
            if let found { checksum.add(found) }
        }
        return checksum
    }

    func readByEmailTogether(_ emails: [String]) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let statement = try database.cachedStatement(sql: Self.byEmail)
            for email in emails {
                if let found = try Self.find(statement, email) { checksum.add(found) }
            }
            return checksum
        }
    }

    func fetchBalances(from balance: Int, limit: Int) throws -> Checksum {
        try fetch("\(Self.columns) WHERE balance >= ? ORDER BY balance, id LIMIT ?", [balance, limit])
    }

    func fetchHoldings(from balance: Int, limit: Int) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let statement = try database.cachedStatement(
                sql: "SELECT id, balance FROM account WHERE balance >= ? ORDER BY balance, id LIMIT ?")
            for holding in try Holding.fetchAll(statement, arguments: [balance, limit]) {
                checksum.add(holding.id &* 31 &+ holding.balance)
            }
            return checksum
        }
    }

    func countBalances(in range: Range<Int>) throws -> Int {
        try count("balance >= ? AND balance < ?", [range.lowerBound, range.upperBound])
    }

    func fetchLastNames(limit: Int) throws -> Checksum {
        try fetch("\(Self.columns) ORDER BY name DESC, id DESC LIMIT ?", [limit])
    }

    func countEmails(containing text: String) throws -> Int { try count("instr(email, ?) > 0", [text]) }

    func insertVisits(_ visits: [Visit]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: "INSERT INTO visit (id, place, day, guest) VALUES (?, ?, ?, ?)")
            for visit in visits {
                statement.setUncheckedArguments([visit.id, visit.place, visit.day, visit.guest])
                try statement.execute()
            }
        }
    }

    func fetchVisits(place: Int, day: Int) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let statement = try database.cachedStatement(
                sql: "SELECT id, place, day, guest FROM visit WHERE place = ? AND day = ? ORDER BY id")
            for visit in try Visit.fetchAll(statement, arguments: [place, day]) { checksum.add(visit) }
            return checksum
        }
    }

    func fetch(ids: [Int]) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            // In the text of the statement, because a statement cannot have that many parameters.
            let list = ids.map(String.init).joined(separator: ",")
            let found = try Account.fetchAll(database, sql: "\(Self.columns) WHERE id IN (\(list))")
            for account in found { checksum.add(account) }
            return checksum
        }
    }

    private func fetch(_ sql: String, _ arguments: StatementArguments) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let found = try Account.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
            for account in found { checksum.add(account) }
            return checksum
        }
    }

    private func count(_ condition: String, _ arguments: StatementArguments) throws -> Int {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT count(*) FROM account WHERE \(condition)")
            return try Int.fetchOne(statement, arguments: arguments) ?? 0
        }
    }

    func scan() throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let accounts = try Account.fetchCursor(database.cachedStatement(sql: "\(Self.columns) ORDER BY id"))
            while let account = try accounts.next() { checksum.add(account) }
            return checksum
        }
    }
}

extension Account: FetchableRecord {
    init(row: GRDB.Row) { self.init(id: row[0], email: row[1], name: row[2], balance: row[3], region: row[4]) }
}

/// The fields of an account that an index on balances contains.
private struct Holding: FetchableRecord {
    let id: Int
    let balance: Int

    init(row: GRDB.Row) { (id, balance) = (row[0], row[1]) }
}

extension Visit: FetchableRecord {
    init(row: GRDB.Row) { self.init(id: row[0], place: row[1], day: row[2], guest: row[3]) }
}
