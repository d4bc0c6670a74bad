import GRDB
import ModelStore

/// The record that workloads run on.
@Record
struct WorkloadUser {
    @ID var id: String
    var field0: String
    var field1: String
    var field2: String
    var field3: String
    var field4: String
    var field5: String
    var field6: String
    var field7: String
    var field8: String
    var field9: String
}

extension WorkloadUser {
    init(key: String, _ random: inout SplitMix64) {
        self.init(id: key, values: (0..<WorkloadRecord.fieldCount).map { _ in WorkloadRecord.value(&random) })
    }

    init(id: String, values: [String]) {
        self.init(
            id: id, field0: values[0], field1: values[1], field2: values[2], field3: values[3], field4: values[4],
            field5: values[5], field6: values[6], field7: values[7], field8: values[8], field9: values[9])
    }

    static let paths: [any WritableKeyPath<WorkloadUser, String> & Sendable] = [
        \.field0, \.field1, \.field2, \.field3, \.field4, \.field5, \.field6, \.field7, \.field8, \.field9,
    ]

    var values: [String] { Self.paths.map { self[keyPath: $0] } }

    /// A sum over all fields, because a client looks at every field of a record.
    var weight: Int {
        var sum = field0.utf8.count + field1.utf8.count + field2.utf8.count + field3.utf8.count + field4.utf8.count
        sum += field5.utf8.count + field6.utf8.count + field7.utf8.count + field8.utf8.count + field9.utf8.count
        return sum
    }
}

/// One side that runs the workloads.
protocol WorkloadSide: AnyObject, Sendable {
    /// Inserts all records in one transaction.
    func load(_ users: [WorkloadUser]) throws
    /// Reads all fields of a record and returns their total length.
    func read(_ key: String) throws -> Int
    func update(_ key: String, field: Int, to value: String) async throws
    func insert(_ user: WorkloadUser) async throws
    /// Reads all fields of up to `count` records from a key on, and returns their total length.
    func scan(from key: String, count: Int) throws -> Int
    func count() throws -> Int
    func close() throws
}

/// ModelStore through its public interface.
final class ModelStoreWorkload: WorkloadSide {
    private let store: Store

    init(directory: String, usesRedoLog: Bool = true) throws {
        var options = StoreOptions()
        options.usesRedoLog = usesRedoLog
        store = try Store(at: directory, records: WorkloadUser.self, options: options)
    }

    func load(_ users: [WorkloadUser]) throws {
        try store.write { transaction in for user in users { try transaction.insert(user) } }
    }

    func read(_ key: String) throws -> Int {
        try store.read { try $0.get(WorkloadUser.self, id: key)?.weight ?? 0 }
    }

    func update(_ key: String, field: Int, to value: String) async throws {
        try await store.write { transaction in
            _ = try transaction.update(WorkloadUser.self, id: key) { $0[keyPath: WorkloadUser.paths[field]] = value }
        }
    }

    func insert(_ user: WorkloadUser) async throws {
        try await store.write { transaction in _ = try transaction.insert(user) }
    }

    func scan(from key: String, count: Int) throws -> Int {
        let request = WorkloadUser.where { $0.id >= key }.order { $0.id.ascending }.limit(count)
        return try store.read { transaction in
            var weight = 0
            try transaction.forEach(request) { user in
                weight += user.weight
                return true
            }
            return weight
        }
    }

    func count() throws -> Int { try store.read { try $0.count(WorkloadUser.self) } }

    func close() { store.close() }
}

/// GRDB with the settings for speed that the other rows use.
final class GRDBWorkload: WorkloadSide {
    private let pool: DatabasePool
    private static let names = (0..<WorkloadRecord.fieldCount).map { "field\($0)" }
    private static let columns = "SELECT id, \(names.joined(separator: ", ")) FROM user"
    private static let byID = "\(columns) WHERE id = ?"
    private static let from = "\(columns) WHERE id >= ? ORDER BY id LIMIT ?"
    private static let insertion =
        "INSERT INTO user (id, \(names.joined(separator: ", "))) VALUES (?\(String(repeating: ", ?", count: names.count)))"
    private static let updates = names.map { "UPDATE user SET \($0) = ? WHERE id = ?" }

    /// - Parameter hasOutbox: whether a trigger writes each update to a table in the same transaction, with the record before and
    ///   after it. This is how users of GRDB keep a feed.
    init(directory: String, hasOutbox: Bool = false) throws {
        pool = try GRDBSide.openPool(directory: directory, isTuned: true)
        try pool.write { database in
            let fields = Self.names.map { "\($0) TEXT NOT NULL" }.joined(separator: ", ")
            // The id is the key of the table's own tree, as in ModelStore.
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS user (id TEXT PRIMARY KEY NOT NULL, \(fields)) WITHOUT ROWID")
            if hasOutbox { try Self.createOutbox(database) }
        }
    }

    private static func createOutbox(_ database: Database) throws {
        func record(_ row: String) -> String {
            "json_array(\((["id"] + names).map { "\(row).\($0)" }.joined(separator: ", ")))"
        }
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS outbox (number INTEGER PRIMARY KEY AUTOINCREMENT, before TEXT, after TEXT);
                CREATE TRIGGER IF NOT EXISTS feed AFTER UPDATE ON user BEGIN
                    INSERT INTO outbox (before, after) VALUES (\(record("OLD")), \(record("NEW")));
                END
                """)
    }

    private static func insert(_ user: WorkloadUser, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: insertion)
        statement.setUncheckedArguments(StatementArguments([user.id] + user.values))
        try statement.execute()
    }

    func load(_ users: [WorkloadUser]) throws {
        try pool.write { database in for user in users { try Self.insert(user, database) } }
    }

    func read(_ key: String) throws -> Int {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: Self.byID)
            statement.setUncheckedArguments([key])
            return try WorkloadUser.fetchOne(statement)?.weight ?? 0
        }
    }

    func update(_ key: String, field: Int, to value: String) async throws {
        try await pool.write { database in
            let statement = try database.cachedStatement(sql: Self.updates[field])
            statement.setUncheckedArguments([value, key])
            try statement.execute()
        }
    }

    func insert(_ user: WorkloadUser) async throws { try await pool.write { try Self.insert(user, $0) } }

    func scan(from key: String, count: Int) throws -> Int {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: Self.from)
            statement.setUncheckedArguments([key, count])
            let users = try WorkloadUser.fetchCursor(statement)
            var weight = 0
            while let user = try users.next() { weight += user.weight }
            return weight
        }
    }

    func count() throws -> Int {
        try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM user") ?? 0 }
    }

    func close() throws { try pool.close() }
}

extension WorkloadUser: FetchableRecord {
    init(row: GRDB.Row) {
        self.init(
            id: row[0], field0: row[1], field1: row[2], field2: row[3], field3: row[4], field4: row[5], field5: row[6],
            field6: row[7], field7: row[8], field8: row[9], field9: row[10])
    }
}
