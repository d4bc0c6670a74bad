import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

enum BeforeComputed {
    @Record("Job") struct Job: Equatable {
        @ID var id: Int
    }
}

enum WithComputed {
    @Embedded struct Place: Equatable {
        var floor: Int = 1 + 1
        var name: String = "room ".appending("7")
    }

    enum Color: String, Codable { case red, green }

    struct Size: Codable, Equatable, Sendable {
        var width = 2
    }

    static let base = 20

    @Record("Job") struct Job: Equatable {
        @ID var id: Int
        var place: Place = Place()
        var other: Place? = Place(floor: 9)
        var wait: Int = 60 * 60 * 24
        var body: Data = Data()
        var pause: Duration = .seconds(1)
        var colors: [Color] = [.red]
        var isOpen: Bool = !false
        var color: Color = Color(rawValue: "green") ?? .red
        var perhaps: Color? = [Color.green].first
        var size: Size = Size(width: 3)
        var names: Set<String> = Set(["a", "b", "c"])
        @Indexed var level: Int = base * 2
        var label: String = "\(base)"
    }
}

enum WithRandom {
    @Record("Job") struct Job {
        @ID var id: Int
        var number: Double = Double.random(in: 0...1)
    }
}

@Suite("Defaults that are expressions") struct ComputedDefaultTests {
    private func directory() throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: BeforeComputed.Job.self)
        _ = try store.blockingWrite { tx in
            for id in 1...3 { try tx.insert(BeforeComputed.Job(id: id)) }
        }
        store.close()
        return directory
    }

    @Test func `Records from before the field get the value, in reads, in indexes and on disk`() throws {
        let directory = try directory()
        let expected = (1...3).map { WithComputed.Job(id: $0) }
        #expect(expected[0].wait == 86_400 && expected[0].level == 40)
        for _ in 0..<2 {
            let store = try Store(at: directory.path, records: WithComputed.Job.self)
            defer { store.close() }
            #expect(try store.fetch(WithComputed.Job.order { $0.id.ascending }) == expected)
            #expect(try store.fetch(WithComputed.Job.where { $0.level == 40 && $0.color == .green }).count == 3)
            #expect(try store.fetch(WithComputed.Job.where { $0.place.floor == 2 && $0.other != nil }).count == 3)
            try AutomaticMigrationTests.expectSound(store)
        }
    }

    @Test func `The catalog has the value, for programs without the type and for older ones`() throws {
        let directory = try directory()
        try Store(at: directory.path, records: WithComputed.Job.self).close()
        let older = try Store(at: directory.path, records: BeforeComputed.Job.self)
        _ = try older.blockingWrite { try $0.insert(BeforeComputed.Job(id: 4)) }
        older.close()
        let store = try Store(at: directory.path, records: WithComputed.Job.self)
        #expect(try store.get(WithComputed.Job.self, id: 4) == WithComputed.Job(id: 4))
    }

    @Test func `A default that differs each time is refused with what would work`() throws {
        let directory = try directory()
        let error = #expect(throws: StoreError.self) { try Store(at: directory.path, records: WithRandom.Job.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("give it a default that is the same each time") == true)
        // A new type needs no value for earlier records.
        let store = try Store.temporary(records: WithRandom.Job.self)
        _ = try store.blockingWrite { tx in for id in 1...2 { try tx.insert(WithRandom.Job(id: id)) } }
        #expect(Set(try store.fetch(FetchRequest(WithRandom.Job.self)).map(\.number)).count == 2)
    }
}
