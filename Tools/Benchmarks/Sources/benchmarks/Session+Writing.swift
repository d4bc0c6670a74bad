import Foundation

extension Session {
    /// Measures the rows that insert everything in one transaction. Keeps the files of the insert in id order for the other rows.
    func measureBulkInsert() throws -> OpenSides {
        let ordered = TableRow(
            name: "1a bulk insert",
            what: "all accounts in the order of ids, in one transaction with two indexes; ModelStore and raw with feed",
            operations: accounts.count, targets: [.grdb: 1.2, .raw: 0.8])
        let sides = try measureBulkInsert(ordered, accounts)
        for side in [sides.grdb, sides.plainGRDB] { try side.checkpoint() }
        try requireEqualContents(sides)
        let shuffled = TableRow(
            name: "1b bulk, shuffled", what: "the same in random order of ids", operations: accounts.count,
            targets: [.grdb: 1.2, .raw: 0.8])
        if isWanted(shuffled.name) {
            var random = SplitMix64(state: 13)
            let others = try measureBulkInsert(shuffled, accounts.shuffled(using: &random), in: "shuffled")
            try requireEqualContents(others)
            for kind in SideKind.allCases {
                try others[kind].close()
                try FileManager.default.removeItem(atPath: path(kind, "shuffled"))
            }
        }
        return sides
    }

    /// Measures a bulk insert, each round into new files, and leaves the last files open.
    private func measureBulkInsert(
        _ row: TableRow, _ accounts: [Account], in name: String = "bulk"
    ) throws -> OpenSides {
        var kept: [SideKind: any Side] = [:]
        var row = row
        row.note = "GRDB keeps no feed"
        for round in 0..<(isWanted(row.name) ? rounds : 1) {
            for place in SideKind.allCases.indices {
                let kind = SideKind.allCases[(place + round) % SideKind.allCases.count]
                try kept.removeValue(forKey: kind)?.close()
                try? FileManager.default.removeItem(atPath: path(kind, name))
                let side = try kind.open(path(kind, name))
                let start = now()
                try side.insertTogether(accounts)
                row.seconds[kind, default: []].append(now() - start)
                kept[kind] = side
            }
        }
        if isWanted(row.name) { add(row) }
        guard let modelStore = kept[.modelStore] as? ModelStoreSide, let grdb = kept[.grdb] as? GRDBSide,
            let plainGRDB = kept[.plainGRDB] as? GRDBSide, let raw = kept[.raw] as? RawSide
        else { throw BenchmarkError("a side is missing") }
        return OpenSides(modelStore: modelStore, grdb: grdb, plainGRDB: plainGRDB, raw: raw)
    }

    /// Fails unless all sides hold the same records.
    func requireEqualContents(_ sides: OpenSides) throws {
        let found = try SideKind.allCases.map { try sides[$0].scan() }
        guard found.allSatisfy({ $0 == found[0] }) else { throw BenchmarkError("the sides differ: \(found)") }
    }

    /// Measures the rows of durable one-record commits.
    func measureDurableWriting(_ sides: OpenSides, count: Int) async throws {
        let batches = (0..<rounds).map { _ in source.next(count) }
        let note = "raw LMDB syncs twice for a commit (data, then its meta page), ModelStore's and SQLite's logs once"
        try await measureWaiting(
            TableRow(
                name: "6a durable, alone", what: "one-record commits, one after the other, blocking",
                operations: count, targets: [.grdb: 1.3, .raw: 2], note: note)
        ) { kind, round in try timed { try sides[kind].insertOneByOne(batches[round]) } }
        let more = (0..<rounds).map { _ in source.next(count) }
        try await measureWaiting(
            TableRow(
                name: "6b durable, awaited", what: "the same; ModelStore through the asynchronous write",
                operations: count, targets: [.grdb: 1.3, .raw: 2], note: note)
        ) { kind, round in
            if kind == .modelStore {
                return try await timed { try await sides.modelStore.insertOneByOneAwaiting(more[round]) }
            }
            return try timed { try sides[kind].insertOneByOne(more[round]) }
        }
        try await measureBound(sides, count: count)
        try requireEqualContents(sides)
    }

    /// Measures the row that compares 6a with the least that a commit on LMDB can cost.
    private func measureBound(_ sides: OpenSides, count: Int) async throws {
        let row = TableRow(
            name: "6c durable, bound",
            what: "as 6a; raw LMDB with one synced append for a commit in place of its two syncs",
            operations: count, note: Self.boundNote)
        guard isWanted(row.name) else { return }
        let batches = (0..<rounds).map { _ in source.next(count) }
        try await measureWaiting(row, [.modelStore, .raw]) { kind, round in
            if kind == .modelStore { return try timed { try sides.modelStore.insertOneByOne(batches[round]) } }
            return try sides.raw.withOneSync { try timed { try sides.raw.insertOneByOne(batches[round]) } }
        }
        for side in [sides.grdb, sides.plainGRDB] { try side.insertTogether(batches.flatMap { $0 }) }
    }

    private static let boundNote = "raw LMDB keeps no pages of a checkpoint here, so a crash damages its file"

    /// Measures the rows of durable one-record writes from 64 tasks at once.
    func measureConcurrentWriting(_ sides: OpenSides, count: Int) async throws {
        let taskCount = 64
        var row = TableRow(
            name: "7a durable, 64 tasks", what: "one-record writes from 64 tasks at once; GRDB commits each",
            operations: count, targets: [.grdb: 10, .raw: 3])
        guard isWanted(row.name) else { return }
        var byHand = TableRow(
            name: "7b as 7a, GRDB by hand", what: "GRDB with 64 inserts in each transaction, batched by hand",
            operations: count)
        var bound = TableRow(
            name: "7c as 7a, bound", what: "raw LMDB with one synced append for a commit in place of its two syncs",
            operations: count, note: Self.boundNote)
        var commits = 0
        for _ in 0..<rounds {
            let accounts = source.next(count)
            let slices = (0..<taskCount).map {
                accounts[(count * $0 / taskCount)..<(count * ($0 + 1) / taskCount)]
            }
            let directory = path(.modelStore, "bulk")
            let before = try EnvironmentFile.lastTransaction(in: directory)
            row.seconds[.modelStore, default: []].append(
                try await timed { try await sides.modelStore.insert(fromTasks: slices) }.inSeconds)
            let done = try EnvironmentFile.lastTransaction(in: directory) - before
            commits += done
            let size = max(1, Int((Double(count) / Double(max(done, 1))).rounded()))
            row.seconds[.raw, default: []].append(
                try timed { try inBatches(accounts, of: size) { try sides.raw.insertBatch($0) } }.inSeconds)
            for (kind, side) in [(SideKind.grdb, sides.grdb), (.plainGRDB, sides.plainGRDB)] {
                row.seconds[kind, default: []].append(
                    try await timed { try await side.insert(fromTasks: slices) }.inSeconds)
            }
            // The same again with other accounts, so that all sides continue to hold the same records.
            let others = source.next(count)
            for (kind, side) in [(SideKind.grdb, sides.grdb), (.plainGRDB, sides.plainGRDB)] {
                byHand.seconds[kind, default: []].append(
                    try timed { try inBatches(others, of: taskCount) { try side.insertTogether(Array($0)) } }.inSeconds)
            }
            bound.seconds[.raw, default: []].append(
                try sides.raw.withOneSync {
                    try timed { try inBatches(others, of: size) { try sides.raw.insertBatch($0) } }
                }.inSeconds)
            try sides.modelStore.insertTogether(others)
        }
        byHand.seconds[.modelStore] = row.seconds[.modelStore]
        byHand.seconds[.raw] = row.seconds[.raw]
        bound.seconds[.modelStore] = row.seconds[.modelStore]
        let mean = Double(count * rounds) / Double(max(commits, 1))
        row.note = "ModelStore committed \(TablePrinter.number(mean)) writes together on average; raw does the same"
        add(row)
        add(byHand)
        add(bound)
        try requireEqualContents(sides)
    }

    private func inBatches(
        _ accounts: [Account], of size: Int, _ body: (ArraySlice<Account>) throws -> Void
    ) rethrows {
        for start in stride(from: 0, to: accounts.count, by: size) {
            try body(accounts[start..<min(start + size, accounts.count)])
        }
    }

    private func timed(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }

    private func timed(_ body: () async throws -> Void) async rethrows -> Duration {
        let start = ContinuousClock.now
        try await body()
        return ContinuousClock.now - start
    }
}
