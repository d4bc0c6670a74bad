import Foundation
import ModelStore
import Synchronization

/// `write DIR LANE [RETAINED PAUSE]`: writes one or several items for each `ack` line that it prints, until it reads a line. The
/// feed retains RETAINED change sets. After each write, the process pauses for PAUSE milliseconds, so that the store grows
/// slowly.
func write(_ directory: String, _ lane: String, retained: Int? = nil, pause: Int = 0) async throws {
    let store = try openStore(directory, retained: retained)
    let reader = Task.detached { readLine() }
    let stopping = StopFlag(reader)
    while !stopping.isSet {
        // The last commit of a killed process becomes visible only with the next write, so the number is read inside the write.
        let written = try await store.write(returning: .position) { tx -> Int in
            let first = (try tx.get(Lane.self, id: lane)?.last ?? 0) + 1
            // Sometimes writes several items at once, including a large one.
            let last = first % 7 == 0 ? first + 19 : first
            for next in first...last {
                let text = String(repeating: "x", count: next % 50 == 0 ? 70_000 : 20)
                try tx.insert(Item(id: "\(lane)-\(next)", lane: lane, number: next, text: text))
            }
            try tx.upsert(Lane(name: lane, last: last))
            return last
        }
        say("ack \(lane) \(written.result) \(written.position.sequence)")
        // The test asks for writes that take longer than one run of a consumer.
        if pause > 0 { try await Task.sleep(for: .milliseconds(pause)) }
    }
    store.close()
    say("done")
}

/// `consume DIR LOG`: runs a consumer with effects in the store, and one that appends a line for each item to a file, with the
/// generation in which it holds its name. Prints `active NAME GENERATION` when one of them becomes active, and ends when it reads
/// a line.
func consume(_ directory: String, _ log: String) async throws {
    let store = try openStore(directory)
    var options = ConsumerOptions(only: FeedFilter(Item.self))
    options.takeoverInterval = .milliseconds(10)
    options.onEvent = { if case .active(let generation, _) = $0 { say("active totals \(generation)") } }
    let inStore = options
    let holder = Holder()
    options.changeSetsPerCommit = 5
    options.onEvent = {
        guard case .active(let generation, _) = $0 else { return }
        holder.generation.store(generation, ordering: .releasing)
        say("active log \(generation)")
    }
    let elsewhere = options
    let file = try LogFile(log)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            try await store.consume("totals", inStore) { set, tx in
                for change in try set.changes(of: Item.self) { try count(change, &tx) }
            }
        }
        group.addTask {
            try await store.consume("log", elsewhere) { set in
                let generation = holder.generation.load(ordering: .acquiring)
                for change in try set.changes(of: Item.self) {
                    try file.append("\(generation) \(change.idempotencyKey) \(change.id)\n")
                }
            }
        }
        let reader = Task.detached { readLine() }
        group.addTask { _ = await reader.value }
        // The first task to end is the reader, unless a consumer fails.
        try await group.next()
        group.cancelAll()
        try await group.waitForAll()
    }
    store.close()
    say("done")
}

@Sendable func count(_ change: Change<Item>, _ tx: inout WriteTransaction) throws {
    guard change.kind == .insert, let item = change.after else { return }
    var total = try tx.get(Total.self, id: item.lane) ?? Total(lane: item.lane, count: 0, last: 0, faults: 0)
    if item.number != total.last + 1 { total.faults += 1 }
    total.count += 1
    total.last = item.number
    try tx.upsert(total)
}

/// `check DIR`: prints for each lane the number of items and the consumer's count, then the positions of the head and the
/// consumers.
func check(_ directory: String) throws {
    let store = try openStore(directory)
    defer { store.close() }
    for lane in try store.read({ try $0.all(Lane.self) }) {
        let name = lane.name
        let items = try store.read { try $0.count(Item.where { $0.lane == name }) }
        let total = try store.read { try $0.get(Total.self, id: name) }
        say("lane \(name) \(lane.last) \(items) \(total?.count ?? 0) \(total?.last ?? 0) \(total?.faults ?? 0)")
    }
    let behind = try store.consumers().map(\.lag).max() ?? 0
    say("end \(behind)")
}

/// Opens the store. With `NO_REDO_LOG` in the environment, the store has no redo log, and later processes leave it without one.
func openStore(
    _ directory: String, _ options: StoreOptions = StoreOptions(), retained: Int? = nil
) throws -> Store {
    var options = options
    options.limits.retainedChangeSets = retained ?? 2_000
    if ProcessInfo.processInfo.environment["NO_REDO_LOG"] != nil { options.usesRedoLog = false }
    return try Store(at: directory, records: Item.self, Total.self, Lane.self, options: options)
}

func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let arguments = CommandLine.arguments.dropFirst()
do {
    switch (arguments.first, arguments.count) {
    case ("write", 3): try await write(arguments[2], arguments[3])
    case ("write", 5):
        try await write(arguments[2], arguments[3], retained: Int(arguments[4]), pause: Int(arguments[5]) ?? 0)
    case ("consume", 3): try await consume(arguments[2], arguments[3])
    case ("check", 2): try check(arguments[2])
    case ("script", 4): try await script(arguments[2], Int(arguments[3]) ?? 1, Int(arguments[4]) ?? 1)
    case ("await", 2): try await follow(arguments[2])
    case ("pass", 2): try await pass(arguments[2])
    case ("passed", 3): try await awaitPassing(arguments[2], arguments[3])
    case ("mingle", 5):
        let (count, seed) = (Int(arguments[4]) ?? 1, UInt64(arguments[5]) ?? 0)
        try await Mingling(arguments[2], lane: arguments[3], count: count, seed: seed).run()
    case ("trail", 2...): try await Trailing(arguments[2], Array(arguments.dropFirst(2))).run()
    case ("flood", 3): try await flood(arguments[2], Int(arguments[3]) ?? 1)
    case ("drain", 4): try await drain(arguments[2], count: Int(arguments[3]) ?? 1, part: Int(arguments[4]) ?? 1)
    default:
        say(
            """
            usage: FeedWorker write DIR LANE [RETAINED PAUSE] | consume DIR LOG | check DIR | script DIR FIRST LAST | await DIR
                 | pass DIR | passed DIR POSITION
                 | trail DIR [POSITION LANE=NUMBER…] | mingle DIR LANE COUNT SEED | flood DIR COUNT | drain DIR COUNT PART
            """)
        exit(64)
    }
} catch {
    say("failed \(error)")
    exit(1)
}
