import StoreEngine
import StoreRuntime

/// `endure <directory> <writes>`: one lane of full and relaxed writes, in one process that goes on after failures, as a service
/// does. After a write whose outcome is unknown, and after a failed opening, it opens the store again.
///
/// Prints what ``Writing`` prints, and `fault <code>` for each failure.
struct Enduring {
    /// More failures than a test makes.
    private static let maximumFaults = 20

    let path: String
    let limit: Int64
    let reports = Reports()

    init?(_ arguments: [String]) {
        guard arguments.count == 2, let limit = Int64(arguments[1]) else { return nil }
        path = arguments[0]
        self.limit = limit
    }

    func run() async -> Int32 {
        let script = LaneScript(lane: "a")
        for _ in 0..<Self.maximumFaults {
            do {
                let store = try Store(at: path, records: [Entry.self, Lane.self], options: GivenOptions.store)
                defer { store.close() }
                reports.acknowledge("open \(try store.position.epoch)")
                if try await write(script, to: store) { return 0 }
            } catch {
                reports.acknowledge("fault \((error as? StoreError)?.code.description ?? "\(error)")")
            }
        }
        return 1
    }

    /// Returns whether all writes are done; false if the store has to be opened again.
    private func write(_ script: LaneScript, to store: Store) async throws -> Bool {
        while true {
            let next = (try store.read { try $0.get(Lane.self, id: script.lane)?.count ?? 0 }) + 1
            guard next <= limit else { return true }
            let durability = Writing.Promise.mixed.durability(next, of: script.lane)
            do {
                let committed = try await store.write(returning: .position, durability: durability) { transaction in
                    try Writing.apply(script, next, to: &transaction)
                }
                let position = committed.position
                reports.acknowledge("ack a \(next) \(position.sequence) \(position.hash) \(durability)")
            } catch let error as StoreError {
                reports.acknowledge("fault \(error.code.description)")
                if error.code != .ioError { return false }
            }
        }
    }
}
