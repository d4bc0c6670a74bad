import LMDB
import StoreEngine
import StoreRuntime
import Testing

/// Cases in which live queries of other libraries failed, each with its own test. After each step the harness compares every
/// result with a fetch.
@Suite struct LiveWindowTests {
    private let store: Store

    init() throws {
        store = try Store.temporary(records: Sensor.self)
        try write { tx in
            for number in 1...6 { try tx.insert(Self.sensor(number)) }
        }
    }

    private static func sensor(_ number: Int, room: String = "hall", celsius: Double? = nil) -> Sensor {
        Sensor(id: "s\(number)", room: room, serial: "\(number)", celsius: celsius ?? Double(number) * 10)
    }

    private func write(_ body: @escaping @Sendable (inout WriteTransaction) throws -> Void) throws {
        _ = try store.write { tx in try body(&tx) }
    }

    private func keys(_ harness: LiveHarness, _ number: Int) -> [String] {
        harness.matcher.rows(harness.subjects[number].id).map { String(decoding: $0.key.dropLast(2), as: UTF8.self) }
    }

    private static let coldest = Sensor.order { $0.celsius.ascending }

    @Test func `the bound of a window is the last row that was scanned, not the last that is left`() throws {
        var harness = try LiveHarness(store, lookahead: 2)
        let two = try harness.add(Self.coldest.limit(2).request)
        // The scan ended at 40. After 30 and 40 are deleted, an insert at 35 is still inside the window.
        try write { tx in for id in ["s3", "s4"] { _ = try tx.delete(Sensor.self, id: id) } }
        #expect(try harness.step() == [])
        try write { tx in try tx.insert(Self.sensor(7, celsius: 35)) }
        #expect(try harness.step() == [])
        try write { tx in _ = try tx.delete(Sensor.self, id: "s1") }
        #expect(try harness.step() == [two] && keys(harness, two) == ["s2", "s7"])
        #expect(harness.matcher.counters.refills == 0)
    }

    @Test func `a window that has become too short is filled from behind its bound`() throws {
        var harness = try LiveHarness(store, lookahead: 1)
        let two = try harness.add(Self.coldest.limit(2).request)
        try write { tx in for id in ["s1", "s3"] { _ = try tx.delete(Sensor.self, id: id) } }
        #expect(try harness.step() == [two] && keys(harness, two) == ["s2", "s4"])
        #expect(harness.matcher.counters.refills == 1)
        // The window becomes empty and grows again.
        try write { tx in for number in 1...6 { _ = try tx.delete(Sensor.self, id: "s\(number)") } }
        #expect(try harness.step() == [two] && keys(harness, two) == [])
        try write { tx in for number in 4...9 { try tx.insert(Self.sensor(number)) } }
        #expect(try harness.step() == [two] && keys(harness, two) == ["s4", "s5"])
    }

    @Test
    func `where a condition names several values of the field that orders first, the field behind it bounds nothing`()
        throws
    {
        var harness = try LiveHarness(store, lookahead: 0)
        try write { tx in try tx.insert(Self.sensor(9, room: "zoo")) }
        _ = try harness.step()
        let request = Sensor.where { $0.room.in(["zoo", "hall"]) }.order { [$0.room.descending, $0.celsius.ascending] }
        let two = try harness.add(request.limit(2).request)
        #expect(keys(harness, two) == ["s9", "s1"])
        // s9 comes first in the order, but its temperature is far above that of the window's last row.
        try write { tx in _ = try tx.update(Sensor.self, id: "s9") { $0.room = "attic" } }
        #expect(try harness.step() == [two] && keys(harness, two) == ["s1", "s2"])
    }

    @Test func `a record is routed by what it was and by what it is`() throws {
        var harness = try LiveHarness(store)
        let hall = try harness.add(Sensor.where { $0.room == "hall" && $0.celsius > 45 }.request)
        let attic = try harness.add(Sensor.where { $0.room == "attic" }.request)
        let range = try harness.add(Sensor.where { $0.celsius.in(10...20) }.request)
        try write { tx in _ = try tx.update(Sensor.self, id: "s5") { $0.room = "attic" } }
        #expect(try harness.step() == [hall, attic])
        try write { tx in _ = try tx.update(Sensor.self, id: "s1") { $0.celsius = 200 } }
        #expect(try harness.step() == [hall, range])
        try write { tx in _ = try tx.update(Sensor.self, id: "s1") { $0.celsius = 12 } }
        #expect(try harness.step() == [hall, range])
    }

    @Test func `a condition's fields count although nobody asked for them`() throws {
        var harness = try LiveHarness(store)
        let serial = FieldIndexSet([2])
        let hall = try harness.add(
            Sensor.where { $0.room == "hall" }.order { $0.celsius.ascending }.request, fields: serial)
        try write { tx in _ = try tx.update(Sensor.self, id: "s3") { $0.note = "new" } }
        #expect(try harness.step() == [])
        try write { tx in _ = try tx.update(Sensor.self, id: "s3") { $0.room = "attic" } }
        #expect(try harness.step() == [hall])
        // The temperature rises, but the record passes no other row. A subscriber to other fields sees no change.
        try write { tx in _ = try tx.update(Sensor.self, id: "s2") { $0.celsius = 21 } }
        #expect(try harness.step() == [])
        try write { tx in _ = try tx.update(Sensor.self, id: "s2") { $0.celsius = 210 } }
        #expect(try harness.step() == [hall])
    }

    @Test func `a record that is deleted and inserted again is an update, and in another change set another record`()
        throws
    {
        var harness = try LiveHarness(store)
        let all = try harness.add(Self.coldest.request, fields: FieldIndexSet([4]))
        var before = harness.matcher.rows(harness.subjects[all].id)
        try write { tx in
            _ = try tx.delete(Sensor.self, id: "s2")
            var sensor = Self.sensor(2)
            sensor.note = "again"
            try tx.insert(sensor)
        }
        #expect(try harness.step() == [all])
        var now = harness.matcher.rows(harness.subjects[all].id)
        var updates = LiveDifference(from: before, to: now).updates
        #expect(updates.count == 1 && updates[0].changedFieldIndexes == FieldIndexSet([4]) && !updates[0].isReplaced)
        before = now
        try write { tx in _ = try tx.delete(Sensor.self, id: "s2") }
        try write { tx in try tx.insert(Self.sensor(2)) }
        // No subscribed field changed, but the record has a new incarnation.
        #expect(try harness.step() == [all])
        now = harness.matcher.rows(harness.subjects[all].id)
        updates = LiveDifference(from: before, to: now, fields: FieldIndexSet()).updates
        #expect(updates.count == 1 && updates[0].isReplaced && updates[0].changedFieldIndexes == .all)
    }

    @Test func `records that are equal in the order stand by their ids, in the direction of the order`() throws {
        var harness = try LiveHarness(store, lookahead: 1)
        try write { tx in for number in 1...6 { _ = try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 1 } } }
        try harness.step()
        let up = try harness.add(Self.coldest.limit(2).request)
        let down = try harness.add(Sensor.order { $0.celsius.descending }.limit(2).request)
        #expect(keys(harness, up) == ["s1", "s2"] && keys(harness, down) == ["s6", "s5"])
        try write { tx in for id in ["s1", "s5", "s6"] { _ = try tx.delete(Sensor.self, id: id) } }
        #expect(try harness.step() == [up, down])
        #expect(keys(harness, up) == ["s2", "s3"] && keys(harness, down) == ["s4", "s3"])
        try write { tx in try tx.insert(Self.sensor(5, celsius: 1)) }
        #expect(try harness.step() == [down])
    }

    @Test func `a limit of one, and one behind an offset, show the next record when theirs leaves`() throws {
        var harness = try LiveHarness(store, lookahead: 0)
        let first = try harness.add(Self.coldest.limit(1).request)
        let third = try harness.add(Self.coldest.limit(1).offset(2).request)
        let none = try harness.add(Self.coldest.limit(0).request)
        #expect(keys(harness, third) == ["s3"])
        try write { tx in _ = try tx.delete(Sensor.self, id: "s1") }
        #expect(try harness.step() == [first, third])
        #expect(keys(harness, first) == ["s2"] && keys(harness, third) == ["s4"] && keys(harness, none) == [])
        // The change affects only a record that the offset skips.
        try write { tx in _ = try tx.update(Sensor.self, id: "s3") { $0.note = "unseen" } }
        #expect(try harness.step() == [])
    }

    @Test func `a request that is built twice gives the same twice`() throws {
        var harness = try LiveHarness(store)
        let (one, other) = (
            try harness.add(Self.coldest.limit(3).request), try harness.add(Self.coldest.limit(3).request)
        )
        try write { tx in _ = try tx.delete(Sensor.self, id: "s1") }
        #expect(try harness.step() == [one, other])
        harness.remove(0)
        try write { tx in _ = try tx.delete(Sensor.self, id: "s2") }
        #expect(try harness.step() == [0] && harness.matcher.requestCount == 1)
    }

    @Test func `equal values are silent`() throws {
        var harness = try LiveHarness(store)
        try harness.add(Sensor.where { $0.celsius > 0 }.request)
        try harness.addCount(Sensor.where { $0.celsius > 30 }.request)
        let exists = try harness.addCount(Sensor.where { $0.celsius > 30 }.limit(1).request)
        try write { tx in _ = try tx.update(Sensor.self, id: "s3") { $0.celsius = 30 } }
        try write { tx in
            try tx.insert(Self.sensor(9))
            _ = try tx.delete(Sensor.self, id: "s9")
        }
        try write { tx in _ = try tx.update(Sensor.self, id: "s3") { $0.celsius = 31 } }
        try write { tx in _ = try tx.update(Sensor.self, id: "s3") { $0.celsius = 30 } }
        #expect(try harness.step() == [])
        try write { tx in _ = try tx.delete(Sensor.self, id: "s6") }
        #expect(try harness.step() == [0, 1])
        try write { tx in for number in 4...5 { _ = try tx.delete(Sensor.self, id: "s\(number)") } }
        #expect(try harness.step() == [0, 1, exists])
    }

    @Test func `a request is changed for another while it is live`() throws {
        var harness = try LiveHarness(store)
        let number = try harness.add(Self.coldest.limit(2).request)
        let id = harness.subjects[number].id
        let old = harness.matcher.rows(id)
        try store.read { tx in
            #expect(throws: StoreError.self) {
                try harness.matcher.reconfigure(id, to: Self.coldest.limit(-1).request, typeIndex: 0, in: tx._reading)
            }
            try harness.matcher.reconfigure(
                id, to: Sensor.order { $0.celsius.descending }.limit(3).request, typeIndex: 0, in: tx._reading)
        }
        let difference = LiveDifference(from: old, to: harness.matcher.rows(id))
        #expect(difference.deletes == [0, 1] && difference.inserts == [0, 1, 2] && keys(harness, number)[0] == "s6")
    }

    @Test func `a damaged record ends the requests that need it, and no others`() throws {
        let folder = try StoreFolder()
        var options = StoreOptions()
        options.durability = .relaxed
        let first = try Store(at: folder.path, records: Sensor.self, options: options)
        _ = try first.write { tx in for number in 1...6 { try tx.insert(Self.sensor(number)) } }
        let key = try first.read { tx in
            try tx._reading.snapshot.entries(of: tx._reading.catalog.types[0].database)[2].key
        }
        first.close()
        try folder.tamper { raw in
            try raw.change(StoreDatabases.recordsName(type: 1), key) { $0[$0.count - 1] ^= 0xFF }
        }
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        defer { store.close() }
        var matcher = LiveMatcher(lookahead: 0)
        let (two, one, point) = try store.read { tx in
            let byID = Sensor.order { $0.id.ascending }
            return (
                try matcher.add(byID.limit(2).request, typeIndex: 0, in: tx._reading),
                try matcher.add(byID.limit(1).request, typeIndex: 0, in: tx._reading),
                try matcher.add(Sensor.where { $0.id == "s1" }.request, typeIndex: 0, in: tx._reading)
            )
        }
        let gone = try #require(matcher.rows(point).first)
        _ = try store.write { tx in _ = try tx.delete(Sensor.self, id: "s1") }
        let outcome = try store.read { tx in
            let type = tx._reading.catalog.types[0]
            // The matcher cannot tell which requests an unreadable record concerns, so every request checks its own result.
            let unreadable = RecordContent([1, 2, 3])
            return matcher.apply(
                [
                    try StepChange(type: type, key: gone.key, before: gone.content, after: nil),
                    try StepChange(type: type, key: [1], before: unreadable, after: nil),
                ], in: tx._reading)
        }
        #expect(outcome.failures.map(\.id) == [two] && outcome.failures.first?.error.code == .damaged)
        #expect(outcome.changed == [one, point] && matcher.rows(point).isEmpty && matcher.requestCount == 2)
        #expect(matcher.rows(one).count == 1)
        matcher.remove(two)
    }

    @Test func `all requests are run again when asked, and rows that are as they were stay the same`() throws {
        var harness = try LiveHarness(store)
        let (ordered, one) = (
            try harness.add(Self.coldest.limit(3).request), try harness.add(Sensor.where { $0.id == "s6" }.request)
        )
        let number = try harness.addCount(Sensor.where { $0.celsius > 30 }.request)
        let before = harness.matcher.rows(harness.subjects[ordered].id)
        try write { tx in _ = try tx.update(Sensor.self, id: "s2") { $0.note = "told to nobody" } }
        #expect(try harness.rerunAll() == [ordered])
        let after = harness.matcher.rows(harness.subjects[ordered].id)
        #expect(zip(before, after).map { $0 === $1 } == [true, false, true])
        #expect(harness.matcher.rows(harness.subjects[one].id).count == 1)
        // The requests are routed as before the rerun.
        try write { tx in _ = try tx.update(Sensor.self, id: "s6") { $0.celsius = 1 } }
        #expect(try harness.step() == [ordered, one, number])
    }
}
