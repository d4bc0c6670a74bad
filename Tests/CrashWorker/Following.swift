import StoreEngine
import StoreRuntime

/// `follow <directory>`: follows the feed from the oldest change set, until standard input ends or contains a line. Prints
/// `following`, and `seen <sequence> <hash>` for each change set.
struct Following {
    let path: String
    let reports = Reports()

    init?(_ arguments: [String]) {
        guard arguments.count == 1 else { return nil }
        path = arguments[0]
    }

    func run() async -> Int32 {
        do {
            var options = StoreOptions()
            options.isReadOnly = true
            let store = try Store(at: path, records: [Entry.self, Lane.self], options: options)
            reports.acknowledge("following")
            let following = Task {
                for try await set in store.changes(from: .oldest) {
                    reports.acknowledge("seen \(set.position.sequence) \(set.position.hash)")
                }
            }
            let isStopped = StopFlag.whenInputEnds()
            // A thread waits for the end of the input, and a task cannot await it.
            while !isStopped.isSet { try await Task.sleep(for: .milliseconds(5)) }
            following.cancel()
            try? await following.value
            store.close()
            reports.say("done")
            return 0
        } catch {
            reports.say("error \(error)")
            return 1
        }
    }
}
