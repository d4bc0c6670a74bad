extension Session {
    /// Measures the rows that read. The sides hold the same accounts.
    func measureReading(_ sides: OpenSides) throws {
        var random = SplitMix64(state: 7)
        let sample = accounts.shuffled(using: &random).prefix(max(1, accounts.count / 2))
        let ids = sample.map(\.id)
        // Copies, in the order of use. Reading the accounts' own strings from scattered memory would count for all sides.
        let emails = sample.map { String(decoding: Array($0.email.utf8), as: UTF8.self) }
        try measureByID(sides, ids)
        try measure(
            TableRow(
                name: "4a email, one read each", what: "whole record by unique email, a transaction each",
                operations: emails.count, targets: [.grdb: 1.2, .raw: 0.85])
        ) { try sides[$0].readByEmailOneByOne(emails) }
        try measure(
            TableRow(
                name: "4b email, one read", what: "whole record by unique email, one transaction for all",
                operations: emails.count, targets: [.grdb: 1.2, .raw: 0.85])
        ) { try sides[$0].readByEmailTogether(emails) }
        try measure(
            TableRow(
                name: "5 scan", what: "all records in the order of ids, decoded", operations: accounts.count,
                targets: [.grdb: 1.2, .raw: 0.7])
        ) { try sides[$0].scan() }
    }

    /// Measures the rows that fetch by conditions and order.
    func measureFetching(_ sides: OpenSides) throws {
        let starts = (0..<500).map { $0 * 1_987 }
        try measure(
            TableRow(
                name: "9a index range",
                what: "100 records of an index range in order, a transaction each; plain GRDB by Codable records",
                operations: starts.count, targets: [.grdb: 1.2, .raw: 1.2])
        ) { side in
            try starts.map {
                if side == .plainGRDB { return try sides.plainGRDB.fetchBalancesAsRecords(from: $0, limit: 100) }
                return try sides[side].fetchBalances(from: $0, limit: 100)
            }
        }
        try measure(
            TableRow(
                name: "9g index range, covered",
                what: "ids and balances of 100 records of an index range in order, which the index holds, each apart",
                operations: starts.count, targets: [.grdb: 1.2, .raw: 0.5])
        ) { side in try starts.map { try sides[side].fetchHoldings(from: $0, limit: 100) } }
        let ranges = (0..<20).map { $0 * 40_000..<$0 * 40_000 + 100_000 }
        try measure(
            TableRow(
                name: "9b count of a range", what: "counts a tenth of the records by an index range",
                operations: ranges.count, targets: [.grdb: 1.2])
        ) { side in try ranges.map { try sides[side].countBalances(in: $0) } }
        try measure(
            TableRow(
                name: "9c top 10, no index", what: "10 records of all by a text field without an index", operations: 1,
                targets: [.grdb: 1.2])
        ) { try sides[$0].fetchLastNames(limit: 10) }
        try measure(
            TableRow(
                name: "9d text contains", what: "counts all records whose email contains a text", operations: 1,
                targets: [.grdb: 1.2]), [.modelStore, .grdb, .plainGRDB]
        ) { try sides[$0].countEmails(containing: "zz") }
        try measureVisits(sides)
        try measureMembership(sides)
    }

    private func measureVisits(_ sides: OpenSides) throws {
        let row = TableRow(
            name: "9e compound index",
            what:
                "some 5 records by both fields of a compound index, by id, a transaction each; plain GRDB by Codable",
            operations: 5_000, targets: [.grdb: 1.2, .raw: 0.9])
        guard isWanted(row.name) else { return }
        let visits = Visit.make(accounts.count)
        for side in SideKind.allCases { try sides[side].insertVisits(visits) }
        try measure(row) { side in
            try (0..<row.operations).map {
                let (place, day) = ($0 * 7 % 400, $0 * 31 % 100)
                if side == .plainGRDB { return try sides.plainGRDB.fetchVisitsAsRecords(place: place, day: day) }
                return try sides[side].fetchVisits(place: place, day: day)
            }
        }
    }

    /// Measures requests with long lists of values. The time for each value should not grow with their number.
    private func measureMembership(_ sides: OpenSides) throws {
        var random = SplitMix64(state: 23)
        for count in [1_000, 10_000, 100_000] where count <= accounts.count {
            let ids = accounts.shuffled(using: &random).prefix(count).map(\.id)
            try measure(
                TableRow(
                    name: "9f in \(count)", what: "the records with any of \(count) ids, by one request; for each",
                    operations: count, targets: [.grdb: 1.2, .raw: 0.7])
            ) { try sides[$0].fetch(ids: ids) }
        }
    }

    private func measureByID(_ sides: OpenSides, _ ids: [Int]) throws {
        try measure(
            TableRow(
                name: "2a id, one read each", what: "whole record by id, a transaction each", operations: ids.count,
                targets: [.grdb: 1.2, .raw: 0.85])
        ) { try sides[$0].readOneByOne(ids) }
        try measure(
            TableRow(
                name: "2b id, one read", what: "whole record by id, one transaction for all", operations: ids.count,
                targets: [.grdb: 1.2, .raw: 0.85])
        ) { try sides[$0].readTogether(ids) }
        try measure(
            TableRow(
                name: "3 field", what: "one field by id, one transaction for all; raw loads 8 bytes in place",
                operations: ids.count, targets: [.grdb: 1.2, .raw: 0.7])
        ) { try sides[$0].readBalances(ids) }
    }
}

/// The sides, open over the same accounts.
struct OpenSides {
    let modelStore: ModelStoreSide
    let grdb: GRDBSide
    let plainGRDB: GRDBSide
    let raw: RawSide

    subscript(kind: SideKind) -> any Side {
        switch kind {
        case .modelStore: modelStore
        case .grdb: grdb
        case .plainGRDB: plainGRDB
        case .raw: raw
        }
    }
}
