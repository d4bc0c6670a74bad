import ModelStore

/// A record with fields that indexes of both kinds cover, and a text that may need pages of its own.
@Record
struct Item {
    @ID var id: Int
    @Unique var name: String
    @Indexed var group: Int
    var text: String
}

/// A record whose ids are not in the order in which they are stored.
@Record
struct Note {
    @ID var id: String
    var text: String
}

/// Makes the store whose copies are damaged.
enum SampleStore {
    /// - Parameter count: how many items it has. From 90,000 on, the trees of items are too large to be checked at once.
    static func make(at path: String, count: Int) async throws {
        var options = StoreOptions()
        options.durability = .relaxed
        let store = try Store(at: path, records: [Item.self, Note.self], options: options)
        for start in stride(from: 0, to: count, by: 2_000) {
            try await store.write { tx in
                for id in start..<min(start + 2_000, count) {
                    let text = String(repeating: "text of \(id) ", count: id % 50 == 0 ? 900 : id % 7)
                    try tx.insert(Item(id: id, name: "item \(id * 7_919 % count)", group: id % 13, text: text))
                }
            }
        }
        try await store.write { tx in
            for number in 0..<count / 4 {
                try tx.insert(
                    Note(id: "note \(number * 7_919 % 100_003)", text: String(repeating: "n", count: number % 90)))
            }
        }
        // Deleted records leave pages for the free list.
        for start in stride(from: 0, to: count, by: 10) {
            try await store.write { tx in
                for id in start..<min(start + (count > 5_000 ? 1 : 3), count) { try tx.delete(Item.self, id: id) }
            }
        }
        store.close()
    }
}
