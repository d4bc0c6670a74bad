import Foundation

/// One side of the comparison, over a directory of its own.
protocol Side: AnyObject {
    /// Opens an existing database or creates one. Its commits must survive a power loss.
    init(directory: String) throws

    /// Inserts all accounts in one transaction.
    func insertTogether(_ accounts: [Account]) throws
    /// Inserts each account in a transaction of its own, one after the other, and waits for each.
    func insertOneByOne(_ accounts: [Account]) throws
    /// Reads whole records, each in a transaction of its own.
    func readOneByOne(_ ids: [Int]) throws -> Checksum
    /// Reads whole records in one transaction.
    func readTogether(_ ids: [Int]) throws -> Checksum
    /// Reads one field of records in one transaction.
    func readBalances(_ ids: [Int]) throws -> Checksum
    /// Reads whole records by their unique field, each in a transaction of its own.
    func readByEmailOneByOne(_ emails: [String]) throws -> Checksum
    /// Reads whole records by their unique field in one transaction.
    func readByEmailTogether(_ emails: [String]) throws -> Checksum
    /// Reads all records in the order of ids.
    func scan() throws -> Checksum
    /// Reads the records with any of these ids, by one request.
    func fetch(ids: [Int]) throws -> Checksum
    /// Reads the first `limit` records with at least a balance, in the order of balances.
    func fetchBalances(from balance: Int, limit: Int) throws -> Checksum
    /// Reads ids and balances, both in the index, of the first `limit` records with at least a balance, in the order of balances.
    func fetchHoldings(from balance: Int, limit: Int) throws -> Checksum
    /// Counts the records with balances in a range.
    func countBalances(in range: Range<Int>) throws -> Int
    /// Reads the first `limit` records in descending order of names.
    func fetchLastNames(limit: Int) throws -> Checksum
    /// Counts the records whose email contains a text.
    func countEmails(containing text: String) throws -> Int
    /// Inserts visits in one transaction.
    func insertVisits(_ visits: [Visit]) throws
    /// Reads the visits of a place on a day, in the order of ids.
    func fetchVisits(place: Int, day: Int) throws -> Checksum
    func close() throws
}

/// The names of the sides.
enum SideKind: String, CaseIterable, Codable {
    case modelStore = "ModelStore"
    /// With settings for speed.
    case grdb = "GRDB"
    /// With SQLite's default settings, except for the sync.
    case plainGRDB = "plain GRDB"
    case raw = "raw"

    func open(_ directory: String) throws -> any Side {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        switch self {
        case .modelStore: return try ModelStoreSide(directory: directory)
        case .grdb: return try GRDBSide(directory: directory)
        case .plainGRDB: return try GRDBSide(directory: directory, isTuned: false)
        case .raw: return try RawSide(directory: directory)
        }
    }
}

/// An error in a benchmark.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
