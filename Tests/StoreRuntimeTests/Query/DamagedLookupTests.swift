import LMDB
import StoreEngine
import StoreRuntime
import Testing

/// Equality requests over damaged stores. Such requests decode their records directly from an index.
@Suite struct DamagedLookupTests {
    /// The damaged part of the store.
    enum Damage: CaseIterable, Sendable {
        case record, recordIsGone, entry

        /// Damages the record s2, or the index entry that leads to it.
        func plant(_ raw: inout LMDBWriteTransaction) throws {
            let key = PlantedDamage.key("s2")
            switch self {
            case .record: try raw.change(SampleStore.sensors, key) { $0[$0.count - 1] ^= 1 }
            case .recordIsGone: try raw.delete(SampleStore.sensors, key)
            case .entry: try raw.change(SampleStore.rooms, PlantedDamage.key("r0") + key) { $0[0] = 9 }
            }
        }

        var named: String {
            self == .entry ? "an entry of an index of Sensor" : PlantedDamage.hex(PlantedDamage.key("s2"))
        }
    }

    @Test(arguments: Damage.allCases)
    func `the error says what is damaged, and others are found`(damage: Damage) throws {
        let sample = try SampleStore()
        try sample.folder.tamper { try damage.plant(&$0) }
        let store = try Store(at: sample.folder.path, records: Sensor.self, Ticket.self, Slot.self)
        defer { store.close() }
        let request = Sensor.where { $0.room == "r0" }.order { $0.id.ascending }
        #expect {
            try store.read { try $0.fetch(request) }
        } throws: { error in
            (error as? StoreError)?.code == .damaged && "\(error)".contains(damage.named)
        }
        #expect(try store.read { try $0.fetch(Sensor.where { $0.room == "r1" }).map(\.id) } == ["s1", "s5"])
    }

    @Test func `a damaged value that decodes is an error in every read of the whole record`() throws {
        let sample = try SampleStore()
        let key = PlantedDamage.key("s2")
        try sample.folder.tamper { raw in
            try raw.change(SampleStore.sensors, key) { bytes in
                // The last character of the serial `A-2`, which becomes `A-3`.
                let serial = try #require(bytes.indices.last { bytes[$0...].starts(with: "A-2".utf8) })
                bytes[serial + 2] ^= 1
            }
        }
        let store = try Store(at: sample.folder.path, records: Sensor.self, Ticket.self, Slot.self)
        defer { store.close() }
        // A read of one field leaves out the checksum, and shows that the damaged bytes decode.
        #expect(try store.read { try $0.value(Sensor.self, id: "s2", \.serial) } == "A-3")
        let reads: [(String, (borrowing ReadTransaction) throws -> Void)] = [
            ("by id", { tx in _ = try tx.get(Sensor.self, id: "s2") }),
            ("by unique field", { tx in _ = try tx.get(Sensor.self, unique: \.serial, equals: "A-2") }),
            ("by request", { tx in _ = try tx.fetch(Sensor.where { $0.id == "s2" }) }),
            ("by index", { tx in _ = try tx.fetch(Sensor.where { $0.room == "r0" }) }),
            ("by walk", { tx in _ = try tx.fetch(Sensor.where { $0.celsius > 0 }) }),
            ("without its type", { tx in _ = try tx._reading.dynamicRecord(id: [.string("s2")], typeIndex: 0) }),
        ]
        for (name, read) in reads {
            let error = storeError { try store.read { try read($0) } }
            #expect(error?.code == .damaged && "\(error, default: "")".contains("checksum"), "\(name)")
        }
        #expect(storeError { _ = try store.model(Sensor.self, id: "s2") }?.code == .damaged)
        let failedWrite = storeError {
            _ = try store.write { try $0.update(Sensor.self, id: "s2") { $0.celsius = 1 } }
        }
        #expect(failedWrite?.code == .damaged)
    }

    @Test func `a damaged record is an error also where a filter of the feed would leave it out`() throws {
        let sample = try SampleStore()
        try sample.folder.tamper { try Damage.record.plant(&$0) }
        let store = try Store(at: sample.folder.path, records: Sensor.self, Ticket.self, Slot.self)
        defer { store.close() }
        let filter = FeedFilter(Sensor.self, where: { $0.room == "none" })
        var events = try store.recordEvents(named: "test", only: [filter])
        #expect {
            while try events.next() != nil {}
        } throws: { error in
            (error as? StoreError)?.code == .damaged && "\(error)".contains(Damage.record.named)
        }
    }
}
