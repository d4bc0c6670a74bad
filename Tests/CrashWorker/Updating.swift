import StoreEngine
import StoreRuntime

/// `update <directory> <records> <writes> <full|relaxed> <lane>`: updates random records of a store, which has a constant size
/// from the first of each record on. The default limits of the redo log apply.
///
/// Prints `open`, and at the end `done` or `error …`.
struct Updating {
    /// A text of this length in bytes makes a record of about a kilobyte with its index entries.
    private static let textByteCount = 900

    let path: String
    let recordCount: Int
    let writeCount: Int
    let durability: Durability
    let lane: String

    init?(_ arguments: [String]) {
        guard arguments.count == 5, let records = Int(arguments[1]), let writes = Int(arguments[2]) else { return nil }
        path = arguments[0]
        recordCount = records
        writeCount = writes
        durability = arguments[3] == "full" ? .full : .relaxed
        lane = arguments[4]
    }

    func run() async -> Int32 {
        let reports = Reports()
        do {
            var options = StoreOptions()
            // The feed does not grow from here on.
            options.limits.retainedChangeSets = 500
            let store = try Store(at: path, records: [Entry.self], options: options)
            reports.acknowledge("open")
            var random = LaneRandom(lane: lane, number: 0, purpose: 5)
            if lane == "fill" {
                let entries = (0..<recordCount).map { entry($0, &random) }
                try await store.write { transaction in
                    for entry in entries { try transaction.upsert(entry) }
                }
            }
            for _ in 0..<writeCount {
                let entry = entry(Int(random.next() % UInt64(recordCount)), &random)
                try await store.write(durability: durability) { try $0.upsert(entry) }
            }
            store.close()
            reports.say("done")
            return 0
        } catch {
            reports.say("error \(error)")
            return 1
        }
    }

    private func entry(_ number: Int, _ random: inout LaneRandom) -> Entry {
        let text = String(repeating: random.next() % 2 == 0 ? "a" : "b", count: Self.textByteCount)
        return Entry(
            id: "\(number)", lane: "update", number: Int64(number), serial: "\(number)",
            bucket: Int32(random.next() % 50), text: text)
    }
}
