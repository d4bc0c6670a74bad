import Foundation
import ModelStore
import TestSupport

/// `script DIR FIRST LAST`: writes items of these numbers, each in a write of its own, and says the position after each. A store
/// that only such processes have written to has the same positions as every other one.
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

/// `await DIR`: waits for the position in each line that it reads, and says `reached` with the number of items that it sees then.
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

/// `pass DIR`: the consumer `picky`, whose filter lets nothing through and who is never told that time has passed. Says `active`, and
/// ends when it reads a line.
func pass(_ directory: String) async throws {
    let store = try openStore(directory)
    var options = ConsumerOptions(only: FeedFilter(Item.self, where: { $0.number < 0 }))
    // After the schemas, which concern it.
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
