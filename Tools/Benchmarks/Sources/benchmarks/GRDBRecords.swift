import GRDB

/// Accounts in the form that GRDB's documentation starts with: `Codable`, and fetched with the query interface.
private struct AccountRecord: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "account"

    let id: Int
    let email: String
    let name: String
    let balance: Int
    let region: String
}

/// Visits in the same form.
private struct VisitRecord: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "visit"

    let id: Int
    let place: Int
    let day: Int
    let guest: String
}

extension GRDBSide {
    func fetchBalancesAsRecords(from balance: Int, limit: Int) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let request = AccountRecord.filter(Column("balance") >= balance).order(Column("balance"), Column("id"))
            for account in try request.limit(limit).fetchAll(database) {
                checksum.add(
                    Account(
                        id: account.id, email: account.email, name: account.name, balance: account.balance,
                        region: account.region))
            }
            return checksum
        }
    }

    func fetchVisitsAsRecords(place: Int, day: Int) throws -> Checksum {
        try pool.read { database in
            var checksum = Checksum()
            let request = VisitRecord.filter(Column("place") == place && Column("day") == day).order(Column("id"))
            for visit in try request.fetchAll(database) {
                checksum.add(Visit(id: visit.id, place: visit.place, day: visit.day, guest: visit.guest))
            }
            return checksum
        }
    }
}
