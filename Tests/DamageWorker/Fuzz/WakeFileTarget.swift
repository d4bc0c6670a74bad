import Foundation
import ModelStore
import StoreRuntime
import TestSupport

/// The file through which processes wake each other. It carries no data, so every content works: before the store is opened, and
/// while it is open.
struct WakeFileTarget: FuzzTarget {
    let inputs: Mutator
    private let tried: TriedStore

    init(in folder: String) async throws {
        tried = try await TriedStore(in: folder)
        try tried.reset()
        let store = try tried.open()
        try await tried.use(store, id: 50)
        store.close()
        inputs = Mutator(
            corpus: [[UInt8](try Data(contentsOf: URL(filePath: tried.file("feed.wake"))))], words: ["MSWAKE1\n"])
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) async throws -> Bool {
        try tried.reset(["feed.wake": input])
        let store = try tried.open()
        defer { store.close() }
        let start = try store.position
        try await tried.use(store, id: 100)
        let file = try FileHandle(forWritingTo: URL(filePath: tried.file("feed.wake")))
        let changed = inputs.next(&random)
        try file.truncate(atOffset: UInt64(changed.count))
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(changed))
        try file.close()
        try await tried.use(store, id: 101)
        var sequences: [UInt64] = []
        for try await set in store.changes(since: start) {
            sequences.append(set.position.sequence)
            if sequences.count == 2 { break }
        }
        guard sequences == [start.sequence + 1, start.sequence + 2] else {
            throw Mismatch("the feed has the change sets \(sequences)")
        }
        return true
    }
}
