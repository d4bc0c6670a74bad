import ModelStore
import Testing

@Record struct Parcel {
    @ID var id: Int
    @Indexed var labels: [String]
    var names: [String]
    var weights: [Double] = []
    var marks: [String?] = []
}

/// Results of `contains` and `count` on collections, with and without an index.
@Suite struct ElementConditionTests {
    private func store() throws -> Store {
        let texts = [["é"], ["e\u{301}"], ["e\u{301}", "é"], []]
        let store = try Store.temporary(records: Parcel.self)
        try store.write { tx in
            for (id, labels) in texts.enumerated() {
                try tx.insert(
                    Parcel(
                        id: id, labels: labels, names: labels, weights: [.nan, -0.0], marks: id == 1 ? [nil] : ["x"]))
            }
        }
        return store
    }

    @Test func `elements are compared by scalars, whether or not an index finds them`() throws {
        try store().read { tx throws in
            for (text, ids) in [("é", [0, 2]), ("e\u{301}", [1, 2])] {
                let (labelled, named) = (
                    try tx.fetch(Parcel.where { $0.labels.contains(text) }),
                    try tx.fetch(Parcel.where { $0.names.contains(text) })
                )
                #expect(labelled.map(\.id).sorted() == ids && named.map(\.id).sorted() == ids)
                #expect(try tx.count(Parcel.where { !$0.names.contains(text) }) == 4 - ids.count)
            }
        }
    }

    @Test func `an element that is NaN, a zero or nil equals itself`() throws {
        try store().read { tx throws in
            #expect(try tx.count(Parcel.where { $0.weights.contains(.nan) && $0.weights.contains(0) }) == 4)
            #expect(try tx.fetch(Parcel.where { $0.marks.contains(nil) }).map(\.id) == [1])
        }
    }

    @Test func `counts are compared with any number`() throws {
        try store().read { tx throws in
            #expect(try tx.count(Parcel.where { $0.names.count > .min && $0.names.count < .max }) == 4)
            #expect(try tx.count(Parcel.where { $0.names.count <= .min || $0.names.count == .max }) == 0)
        }
    }

    @Test func `an element that leaves a record is no longer found by the index`() throws {
        let store = try Store.temporary(records: Parcel.self)
        try store.write { tx in
            try tx.insert(Parcel(id: 1, labels: ["a", "b"], names: []))
            try tx.insert(Parcel(id: 2, labels: ["b"], names: []))
        }
        try store.write { tx in try tx.update(Parcel.self, id: 1) { $0.labels = ["a", "c"] } }
        for (label, ids) in [("a", [1]), ("b", [2]), ("c", [1])] {
            #expect(try store.read { try $0.fetch(Parcel.where { $0.labels.contains(label) }).map(\.id) } == ids)
        }
        try AutomaticMigrationTests.expectSound(store)
    }
}
