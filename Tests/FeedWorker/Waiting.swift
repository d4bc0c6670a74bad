import Foundation
import ModelStore
import TestSupport

/// `script DIR FIRST LAST`: writes items with these numbers, each in its own write, and prints the position after each. Stores
/// that only such processes have written to all have the same positions.
func script(_ directory: String, _ first: Int, _ last: Int) async throws {
    var options = StoreOptions()
    options.clock = { Date(timeIntervalSinceReferenceDate: 0) }
    options.randomSeed = { 7 }
    options.originProcessID = 1
    let store = try openStore(directory, options)
    for number in first...last {
        let item = Item(id: "a-\(number)", lane: "a", number: number, text: "")
        say(try await store.write(returning: .position) { try $0.insert(item) }.position.description)
    }
    store.close()
    say("done")
}

/// `await DIR`: waits for the position in each line that it reads, and prints `reached` with the number of items visible then.
func follow(_ directory: String) async throws {
    let store = try openStore(directory)
    while let line = readLine() {
        guard let position = Position(line) else { throw POSIXError(.EINVAL) }
        say("waits")
        try await store.wait(for: position)
        say("reached \(try store.read { try $0.count(Item.self) })")
    }
    store.close()
    say("done")
}

/// `pass DIR`: runs the consumer `picky`, whose filter matches nothing and for which no time passes. Prints `active`, and ends
/// when it reads a line.
func pass(_ directory: String) async throws {
    let store = try openStore(directory)
    var options = ConsumerOptions(only: FeedFilter(Item.self, where: { $0.number < 0 }))
    // Starts after the schema changes, which every consumer receives.
    options.start = .newest
    options.sleep = { _ in try await sleepUntilCancelled() }
    options.onEvent = { if case .active = $0 { say("active") } }
    let picky = options
    let consuming = Task { try await store.consume("picky", picky) { (_: ChangeSet) in say("given something") } }
    await Task.detached { _ = readLine() }.value
    consuming.cancel()
    try await consuming.value
    store.close()
    say("done")
}

/// `passed DIR POSITION`: waits until the consumer `picky` has passed a position.
func awaitPassing(_ directory: String, _ text: String) async throws {
    guard let position = Position(text) else { throw POSIXError(.EINVAL) }
    var options = StoreOptions()
    options.isReadOnly = true
    let store = try openStore(directory, options)
    try await store.wait(forConsumer: "picky", toPass: position)
    store.close()
    say("done")
}
