import ModelStore
import ModelStoreComponents
import Synchronization

@Record
struct Sensor {
    @ID var id: String
    @Indexed var room: String
    var celsius: Double = 20
    var note: String?
}

/// A record with many fields.
@Record
struct Panel {
    @ID(.assigned) var id: Int = 0
    var a: Int = 0
    var b: Int = 0
    var c: Int = 0
}

/// A store with a scope that hosts components, the log of their actions, and the registry's notices.
struct Scene {
    let store: Store
    let scope: Scope
    let journal: Journal
    let notices: Notices
    let numbers = Numbers()

    /// Runs a test in a scene, and expects that nothing of it remains.
    @discardableResult
    static func run(
        sensors: Int = 3, options: OwnershipOptions = OwnershipOptions(),
        _ body: nonisolated(nonsending) (Scene) async throws -> Void
    ) async throws -> Notices {
        let notices = Notices()
        var storeOptions = StoreOptions()
        storeOptions.addressSpaceByteCount = 64 << 20
        storeOptions.ownership = options
        storeOptions.ownership.leakDelay = .zero
        storeOptions.ownership.onNotice = { notices.add($0) }
        let store = try Store.temporary(records: Sensor.self, Panel.self, options: storeOptions)
        try await store.write { tx in
            for number in 0..<sensors { try tx.insert(Sensor(id: "s\(number)", room: "hall")) }
        }
        try await store.withScope("app") { scope in
            try await body(Scene(store: store, scope: scope, journal: Journal(), notices: notices))
        }
        return notices
    }

    func set(_ id: String, _ celsius: Double) async throws {
        try await store.write { try $0.update(Sensor.self, id: id) { $0.celsius = celsius } }
    }
}

/// The notices of a registry.
final class Notices: Sendable {
    private let notices = Mutex<[OwnershipNotice]>([])
    private let added = Subject(0)

    func add(_ notice: OwnershipNotice) {
        notices.withLock { $0.append(notice) }
        added.update { $0 += 1 }
    }

    /// Waits for the first notice with a code, and returns it.
    func first(_ code: OwnershipNotice.Code) async -> OwnershipNotice? {
        for await _ in added.values {
            if let notice = of(code).first { return notice }
        }
        return nil
    }

    var all: [OwnershipNotice] { notices.withLock { $0 } }

    func of(_ code: OwnershipNotice.Code) -> [OwnershipNotice] { all.filter { $0.code == code } }
}
