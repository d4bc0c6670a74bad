import Foundation
import ModelStore
import StoreRuntime
import TestSupport

/// A small store whose small files are changed. Its data file is valid, so its records must stay as they are.
struct TriedStore {
    static let itemCount = 20

    let path: String
    private let data: Data

    /// A store that another process made.
    init(at path: String) {
        self.path = path
        data = Data()
    }

    /// Makes the store, or takes it over from an earlier process.
    init(in folder: String) async throws {
        let sample = folder + "/sample"
        if !FileManager.default.fileExists(atPath: sample) {
            let store = try Store(at: sample, records: Item.self)
            try await store.write { tx in
                for id in 0..<Self.itemCount {
                    try tx.insert(Item(id: id, name: "item \(id)", group: 1, text: "text"))
                }
            }
            store.close()
        }
        data = try Data(contentsOf: URL(filePath: sample + "/data.mdb"))
        path = folder + "/store"
    }

    /// The path of one of its files.
    func file(_ name: String) -> String { path + "/" + name }

    /// Makes a fresh copy with these files beside the data file.
    func reset(_ files: [String: [UInt8]] = [:]) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try data.write(to: URL(filePath: file("data.mdb")))
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: file(name))) }
    }

    func open() throws -> Store {
        var options = StoreOptions()
        options.durability = .relaxed
        options.writeTimeout = .seconds(5)
        return try Store(at: path, records: [Item.self], options: options)
    }

    /// Writes a record, reads it and all others, and verifies the store.
    func use(_ store: Store, id: Int) async throws {
        try await store.write { tx in try tx.insert(Item(id: id, name: "item \(id)", group: 2, text: "new")) }
        guard try store.get(Item.self, id: id)?.text == "new" else { throw Mismatch("the new record is missing") }
        let kept = try store.fetch(FetchRequest(Item.self).where { $0.group == 1 })
        guard kept.count == Self.itemCount else { throw Mismatch("\(kept.count) records are left") }
        var findings: [String] = []
        _ = try store.verify { findings.append($0.message) }
        guard findings.isEmpty else { throw Mismatch("verify finds \(findings)") }
    }
}
