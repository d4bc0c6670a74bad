import Foundation
import ModelStore
import StoreCommands

/// A damaged copy of a store, and everything that is tried with it.
struct DamagedStore {
    let path: String

    /// Does all reads and writes of `store-cli` and of a library's process. Errors are right here; only a crash or an endless
    /// loop is wrong.
    ///
    /// - Parameter begin: called with the name of each step.
    func tryAll(_ begin: (String) -> Void) async {
        let commands: [[String]] = [
            ["types"], ["schema"], ["stat"], ["get", "Item", "17"], ["query", "Item", "--where", "group == 3"],
            ["query", "Note"], ["query", "Item", "--where", "name == 'item 50'"], ["feed"], ["export", "Item"],
            ["verify"],
            ["insert", "Item", "{\"id\": 1000001, \"name\": \"new\", \"group\": 3, \"text\": \"t\"}"],
            ["upsert", "Note", "{\"id\": \"note 77\", \"text\": \"\(String(repeating: "x", count: 6_000))\"}"],
            ["set", "Item", "--where", "group == 5", "--yes", "group=6"],
            ["delete", "Item", "41"], ["delete", "Item", "--where", "group == 6", "--yes"],
            ["backup", path + ".backup"], ["compact", path + ".compact"], ["undo"], ["verify"],
        ]
        for command in commands {
            begin(command.joined(separator: " ").prefix(40).description)
            _ = StoreCommandLine.run(["--store", path] + command)
        }
        for copy in [".backup", ".compact"] { try? FileManager.default.removeItem(atPath: path + copy) }
        begin("library")
        await tryLibrary(begin)
    }

    private func tryLibrary(_ begin: (String) -> Void) async {
        guard let store = try? Store(at: path, records: [Item.self, Note.self]) else { return }
        begin("library reads")
        for id in [1, 250, 299] { _ = try? store.get(Item.self, id: id) }
        _ = try? store.fetch(FetchRequest(Item.self).where { $0.group < 4 })
        _ = try? store.fetch(FetchRequest(Note.self))
        begin("library writes")
        for round in 0..<4 {
            _ = try? await store.write { tx in
                for id in stride(from: round, to: 300, by: 4) where id % 5 != 0 {
                    _ = try? tx.delete(Item.self, id: id)
                    try tx.upsert(Note(id: "note \(id)", text: String(repeating: "y", count: id * round)))
                }
            }
            _ = try? await store.write { tx in
                for id in 0..<50 {
                    try tx.insert(Item(id: 2_000 + 100 * round + id, name: "\(round) \(id)", group: id, text: "t"))
                }
            }
        }
        begin("library deletes all")
        _ = try? await store.write { tx in try tx.delete(FetchRequest(Item.self).where { $0.group > 7 }) }
        _ = try? await store.write { tx in try tx.delete(FetchRequest(Note.self)) }
        begin("library closes")
        store.close()
    }
}
