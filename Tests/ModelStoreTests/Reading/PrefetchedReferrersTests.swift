import ModelStore
import TestSupport
import Testing

@Record struct Rack: Equatable {
    @ID var id: Int
}

@Record struct Volume: Equatable {
    @ID var id: Int
    @Reference(onDelete: .cascade) var rack: Reference<Rack>?
    @Reference(onDelete: .nullify) var former: Set<Reference<Rack>> = []
}

@Record struct Etching: Equatable {
    @ID var path: String
    @Reference(onDelete: .cascade) var rack: Reference<Rack>?
    @Reference(onDelete: .nullify) var former: Set<Reference<Rack>> = []
}

/// Records fetched together with the records that refer to them, compared with a filter over all records.
@Suite struct PrefetchedReferrersTests {
    @Test(arguments: 0..<TestLength.runs(30, long: 1_000))
    func `each record comes with those that refer to it, in the order of their ids`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &* 7_919 &+ 3)
        let racks = (0..<Int.random(in: 1...40, using: &random)).map { $0 * 3 }
        func references() -> (one: Reference<Rack>?, several: Set<Reference<Rack>>) {
            let count = Int.random(in: 0...3, using: &random)
            let several = (0..<count).compactMap { _ in racks.randomElement(using: &random) }
            return (Reference(racks.randomElement(using: &random) ?? 0), Set(several.map { Reference($0) }))
        }
        // Ids are spread over the whole range or consecutive, and paths share a beginning.
        let isSpread = seed.isMultiple(of: 2)
        var ids: Set<Int> = []
        for _ in 0..<Int.random(in: 0...400, using: &random) {
            ids.insert(isSpread ? Int(truncatingIfNeeded: random.next()) : Int.random(in: -300...300, using: &random))
        }
        let volumes = ids.sorted().map { id in
            let (one, several) = references()
            return Volume(id: id, rack: id % 7 == 0 ? nil : one, former: several)
        }
        let etchings = ids.map { "/usr/share/doc/etching \($0)" }.sorted().map { path in
            let (one, several) = references()
            return Etching(path: path, rack: one, former: several)
        }
        let (mixedVolumes, mixedEtchings) = (volumes.shuffled(using: &random), etchings.shuffled(using: &random))
        let store = try Store.temporary(records: Rack.self, Volume.self, Etching.self)
        try store.write { tx in
            for id in racks { try tx.insert(Rack(id: id)) }
            for volume in mixedVolumes { try tx.insert(volume) }
            for etching in mixedEtchings { try tx.insert(etching) }
        }
        let bound = racks.randomElement(using: &random) ?? 0
        let request = Rack.where { $0.id >= bound }.order { $0.id.descending }
        try store.read { tx in
            let expected = racks.filter { $0 >= bound }.reversed().map { Reference<Rack>($0) }
            let ofVolumes = try tx.fetch(request, with: Inverse<Rack, Volume>(\.rack))
            #expect(ofVolumes.map { Reference(to: $0.0) } == expected)
            #expect(ofVolumes.map(\.1) == expected.map { rack in volumes.filter { $0.rack == rack } })
            #expect(
                try tx.fetch(request, with: Inverse<Rack, Volume>(\.former)).map(\.1)
                    == expected.map { rack in volumes.filter { $0.former.contains(rack) } })
            #expect(
                try tx.fetch(request, with: Inverse<Rack, Etching>(\.rack)).map(\.1)
                    == expected.map { rack in etchings.filter { $0.rack == rack } })
            #expect(
                try tx.fetch(request, with: Inverse<Rack, Etching>(\.former)).map(\.1)
                    == expected.map { rack in etchings.filter { $0.former.contains(rack) } })
        }
    }
}
