import LMDB
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

@Suite struct RandomDamageTests {
    private static let databases = [
        "catalog", "metadata", "feed", "records.1", "records.2", "records.3", "index.1.0", "index.1.1", "index.1.2",
        "index.2.0", "index.2.1", "index.2.2", "index.3.0", "index.3.1",
    ]

    /// Metadata entries for which another value is equally valid, because nothing else in the store determines them.
    private static let free: Set<String> = ["identity", "home", "catalog", "head", "assigned.2"]

    @Test(arguments: databases)
    func `one flipped bit anywhere is found`(database: String) throws {
        let sample = try SampleStore()
        var random = TestRandom(seed: 1)
        let environment = try LMDBEnvironment.open(
            at: sample.folder.path, options: LMDBEnvironment.Options(syncs: false))
        defer { environment.close() }
        let entries = try self.entries(of: database, environment)
        for entry in entries
        where database != "metadata" || !Self.free.contains(String(decoding: entry.key, as: UTF8.self)) {
            var damaged = entry
            damaged.value[random.below(entry.value.count)] ^= 1 << UInt8(random.below(8))
            try replace(entry, by: damaged, database, environment)
            let found = try findings(environment)
            #expect(!found.isEmpty, "\(database) \(PlantedDamage.hex(entry.key)): \(PlantedDamage.hex(damaged.value))")
            try replace(damaged, by: entry, database, environment)
        }
        #expect(try findings(environment) == [])
    }

    @Test(arguments: 0..<TestLength.runs(24, long: 2_000))
    func `verify ends on whatever it meets`(seed: Int) throws {
        let sample = try SampleStore()
        var random = TestRandom(seed: UInt64(seed))
        try sample.folder.tamper { raw in
            for _ in 0..<(1 + random.below(40)) {
                let database = random.pick(Self.databases)
                let entries = try raw.snapshot.entries(of: database)
                guard !entries.isEmpty else { continue }
                var entry = random.pick(entries)
                switch random.below(5) {
                case 0: try raw.delete(database, entry.key)
                case 1: entry.value = (0..<random.below(60)).map { _ in UInt8.random(in: 0...255, using: &random) }
                case 2: entry.value = Array(entry.value.prefix(random.below(entry.value.count + 1)))
                case 3: entry.key = (0...random.below(20)).map { _ in UInt8.random(in: 0...255, using: &random) }
                default:
                    for _ in 0..<3 where !entry.value.isEmpty {
                        entry.value[random.below(entry.value.count)] = UInt8.random(in: 0...255, using: &random)
                    }
                    // The new checksum is valid, so verification reaches the content behind it.
                    if database.hasPrefix("records"), entry.value.count > 20 {
                        entry.value = KeyBytes.resealed(entry.value)
                    }
                }
                try raw.put(database, entry.key, entry.value)
            }
        }
        let found = try sample.folder.findings()
        #expect(try sample.folder.findings() == found)
    }

    private func entries(of database: String, _ environment: LMDBEnvironment) throws -> [RawEntry] {
        let transaction = try environment.beginRead()
        return try transaction.snapshot.entries(of: database)
    }

    private func replace(
        _ old: RawEntry, by new: RawEntry, _ database: String, _ environment: LMDBEnvironment
    ) throws {
        var raw = try environment.beginWrite()
        try raw.delete(database, old.key)
        try raw.put(database, new.key, new.value)
        try raw.commit()
    }

    private func findings(_ environment: LMDBEnvironment) throws -> [VerifyFinding] {
        var found: [VerifyFinding] = []
        let transaction = try environment.beginRead()
        _ = try StoreVerifier.verify(transaction.snapshot) { found.append($0) }
        return found
    }
}
