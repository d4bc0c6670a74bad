import Foundation
import ModelStore
import Testing

/// Every kind of read, at an earlier position.
@Suite struct PastTests {
    private typealias Question = (name: String, ask: @Sendable (borrowing ReadTransaction) throws -> String)

    private static let questions: [Question] = {
        let byHouse = Tenant.where { $0.house == "a" }.order { $0.id.descending }
        let all = FetchRequest(Tenant.self).order { $0.id.ascending }
        return [
            ("all", { "\(try $0.all(House.self)) \(try $0.count(Tenant.self))" }),
            ("get", { "\(try $0.get(Tenant.self, id: 3) as Any) \(try $0.contains(Tenant.self, id: 4))" }),
            ("value", { "\(try $0.value(House.self, id: "b", \.name) as Any)" }),
            ("unique", { "\(try $0.get(Sensor.self, unique: \.serial, equals: "A-1")?.celsius as Any)" }),
            ("fetch", { "\(try $0.fetch(byHouse)) \(try $0.count(byHouse))" }),
            (
                "through a reference",
                { "\(try $0.fetch(Tenant.where { $0.house.name == "new" }.order { $0.id.ascending }))" }
            ),
            ("inverse", { "\(try $0.fetch(House.tenants, of: "b").map(\.id))" }),
            (
                "clubs",
                { "\(try $0.fetch(Tenant.where { $0.friend == nil }.order { $0.id.descending }.limit(3)).map(\.id))" }
            ),
            (
                "lazily",
                { tx in
                    var ids: [Int] = []
                    try tx.forEach(all.lazily()) { row in
                        ids.append(try row.id)
                        return true
                    }
                    return "\(ids)"
                }
            ),
            ("fields", { "\(try $0.fetch(all.fields { $0.house }.distinct()))" }),
            ("groups", { "\(try $0.fetch(FetchRequest(Sensor.self).grouped(by: { $0.room }) { $0.celsius.sum }))" }),
            (
                "sections",
                { tx in
                    let sections = try tx.fetch(all.sections(by: { $0.house }))
                    return "\(sections.map { "\($0.key) \($0.records.map(\.id))" })"
                }
            ),
            (
                "pages",
                { tx in
                    let first = try tx.page(all.limit(2))
                    guard let next = first.next else { return "\(first.rows)" }
                    return "\(first.rows) \(try tx.page(all.limit(2).after(next)).rows)"
                }
            ),
            ("long values", { "\(try $0.fetch(Sensor.where { $0.serial.hasPrefix("long") }).map(\.id).sorted())" }),
        ]
    }()

    private static let long = String(repeating: "long ", count: 80)

    @Test func `all ways of asking give at a position what they gave there`() throws {
        let store = try Store.temporary(records: House.self, Tenant.self, Club.self, Sensor.self)
        var moments: [(Position, [String])] = []
        func remember() throws {
            moments.append(try (store.position, store.read { tx in try Self.questions.map { try $0.ask(tx) } }))
        }
        try store.write { tx in
            for house in ["a", "b", "c"] { try tx.insert(House(id: house, name: "old")) }
            for id in 1...6 { try tx.insert(Tenant(id: id, house: id % 2 == 0 ? "a" : "b", friend: id > 1 ? 1 : nil)) }
            for id in 1...4 {
                try tx.insert(Sensor(id: "s\(id)", room: "r\(id % 2)", serial: "A-\(id)", celsius: Double(id)))
            }
            try tx.insert(Sensor(id: "long", room: "r0", serial: Self.long + "1"))
        }
        try remember()
        try store.write { tx in
            _ = try tx.update(House.self, id: "b") { $0.name = "new" }
            _ = try tx.update(Tenant.self, id: 2) { $0.house = "c" }
            // Two records exchange their unique values, and two records share the part that an index keeps.
            _ = try tx.update(Sensor.self, id: "s1") { $0.serial = "other" }
            _ = try tx.update(Sensor.self, id: "s2") { $0.serial = "A-1" }
            _ = try tx.update(Sensor.self, id: "s1") { $0.serial = "A-2" }
            try tx.insert(Sensor(id: "long 2", room: "r1", serial: Self.long + "2"))
        }
        try remember()
        try store.write { tx in
            // The delete also removes the friendships.
            try tx.delete(Tenant.self, id: 1)
            try tx.delete(Sensor.self, id: "long")
            try tx.insert(Tenant(id: 7, house: "c", friend: 6))
        }
        try remember()
        try store.write { tx in
            try tx.insert(Tenant(id: 1, house: "a"))
            for id in ["s1", "s2", "s3", "s4", "long 2"] { try tx.delete(Sensor.self, id: id) }
        }
        try remember()
        for (position, answers) in moments {
            let found = try store.read(at: position) { tx in try Self.questions.map { try $0.ask(tx) } }
            for (question, (answer, found)) in zip(Self.questions, zip(answers, found)) {
                #expect(found == answer, "\(question.name) at \(position.sequence)")
            }
        }
        #expect(Set(moments.map { $0.1.joined() }).count == moments.count, "each commit must change some answer")
    }

    @Test func `a difference names records, kinds, fields and values`() throws {
        let store = try Store.temporary(records: House.self, Sensor.self)
        try store.write { tx in
            for id in 1...4 { try tx.insert(Sensor(id: "s\(id)", room: "bath", serial: "A-\(id)")) }
        }
        let before = try store.position
        try store.write { tx in _ = try tx.update(Sensor.self, id: "s1") { $0.celsius = 21.5 } }
        try store.write { tx in
            try tx.delete(Sensor.self, id: "s2")
            try tx.insert(House(id: "h"))
            _ = try tx.update(Sensor.self, id: "s1") { $0.note = "warm" }
            _ = try tx.update(Sensor.self, id: "s4") { $0.note = "brief" }
            try tx.delete(Sensor.self, id: "s3")
        }
        try store.write { tx in
            try tx.insert(Sensor(id: "s3", room: "hall", serial: "A-3"))
            _ = try tx.update(Sensor.self, id: "s4") { $0.note = nil }
        }
        let after = try store.position
        let difference = try store.difference(from: before, to: after)
        #expect(difference.from == before && difference.to == after && !difference.isEmpty)
        let sensors = try difference.changes(of: Sensor.self)
        #expect(sensors.map(\.id) == ["s1", "s2", "s3"])
        #expect(sensors.map(\.kind) == [.update, .delete, .replace])
        #expect(sensors[0].changedFields.names == ["celsius", "note"])
        #expect(sensors[0].didChange(\.celsius) && sensors[0].before?.celsius == 0 && sensors[0].after?.celsius == 21.5)
        #expect(sensors[1].before?.serial == "A-2" && sensors[1].after == nil)
        #expect(try difference.changes(of: House.self).map(\.after?.id) == ["h"])
        let fields = try difference.changes.map {
            try $0.fieldChanges().map { "\($0.name) \($0.beforeJSON) \($0.afterJSON)" }
        }
        #expect(fields == [["celsius 0.0 21.5", "note null \"warm\""], [], [], ["room \"bath\" \"hall\""]])

        let back = try store.difference(from: after, to: before)
        #expect(try back.changes(of: Sensor.self).map(\.kind) == [.update, .insert, .replace])
        #expect(try back.changes(of: Sensor.self)[0].before?.celsius == 21.5)
        #expect(try back.changes(of: Sensor.self)[0].changedFields.names == ["celsius", "note"])
        #expect(try store.difference(from: after, to: after).isEmpty)
        #expect(throws: StoreError.self) { try difference.changes(of: Account.self) }
    }
}
