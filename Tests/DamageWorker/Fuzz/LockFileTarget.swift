import Foundation
import ModelStore
import StoreRuntime
import TestSupport

/// The lock file of a store that no process has open. LMDB writes a new reader table, so everything works.
struct LockFileTarget: FuzzTarget {
    let inputs: Mutator
    private let tried: TriedStore

    init(in folder: String) async throws {
        tried = try await TriedStore(in: folder)
        try tried.reset()
        let store = try tried.open()
        _ = try store.get(Item.self, id: 1)
        let lock = URL(filePath: tried.file("lock.mdb"))
        let open = [UInt8](try Data(contentsOf: lock))
        store.close()
        // The beginning has the header and the first readers. A short file also makes changes hit them.
        inputs = Mutator(corpus: [open, Array(open.prefix(1_024)), [UInt8](try Data(contentsOf: lock))])
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) async throws -> Bool {
        try tried.reset(["lock.mdb": input])
        let store = try tried.open()
        defer { store.close() }
        try await tried.use(store, id: 100)
        return true
    }
}
