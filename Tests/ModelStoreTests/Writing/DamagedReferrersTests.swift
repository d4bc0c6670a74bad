import LMDB
import ModelStore
import StoreEngine
import Testing

/// Records fetched together with the records that refer to them, from a damaged store. The store finds the referring records in
/// key order and decodes them in another order. The error must name the damaged record.
@Suite struct DamagedReferrersTests {
    /// The damage to a record.
    enum Damage: CaseIterable, Sendable {
        case bytes, isGone

        func plant(_ key: [UInt8], in directory: String) throws {
            let environment = try LMDBEnvironment.open(at: directory, options: LMDBEnvironment.Options(syncs: false))
            defer { environment.close() }
            var raw = try environment.beginWrite()
            let name = StoreDatabases.recordsName(type: 2)
            let records = try #require(try raw.openDatabase(named: name, create: false))
            var value = unsafe try #require(try raw.snapshot.get(records, key: key.span.bytes)?.array())
            value[value.count - 1] ^= 1
            switch self {
            case .bytes: unsafe try raw.put(records, key: key.span.bytes, value: value.span.bytes)
            case .isGone: _ = unsafe try raw.delete(records, key: key.span.bytes)
            }
            try raw.commit()
        }
    }

    @Test(arguments: Damage.allCases)
    func `the error names the record that is damaged`(damage: Damage) throws {
        let directory = try TestDirectory()
        // The volumes of the racks alternate, so that the two orders differ.
        try Self.fill(directory.path)
        var key = ByteWriter()
        5.encodeKey(to: &key)
        try damage.plant(key.array(), in: directory.path)
        let store = try Store(at: directory.path, records: Rack.self, Volume.self)
        defer { store.close() }
        let inverse = Inverse<Rack, Volume>(\.rack)
        #expect {
            try store.read { try $0.fetch(Rack.order { $0.id.ascending }, with: inverse) }
        } throws: { error in
            (error as? StoreError)?.code == .damaged && "\(error)".contains(HexText.of(key.bytes))
        }
        let others = try store.read { try $0.fetch(Rack.where { $0.id == 0 }, with: inverse) }
        #expect(others.map { $0.1.map(\.id) } == [[0, 2, 4, 6, 8]])
    }

    private static func fill(_ directory: String) throws {
        let store = try Store(at: directory, records: Rack.self, Volume.self)
        defer { store.close() }
        try store.write { tx in
            for id in 0...1 { try tx.insert(Rack(id: id)) }
            for id in 0...9 { try tx.insert(Volume(id: id, rack: Reference(id % 2))) }
        }
    }
}
