import Foundation
import ModelStore
import StoreEngine
import Testing

/// The versions of a record type. Every field that a migration removes is optional or has a default.
private enum Count {
    @Record("Tally")
    struct First: Equatable {
        @ID var id: Int
        var count: Int = 0
    }

    @Record("Tally")
    struct Noted: Equatable {
        @ID var id: Int
        var count: Int = 0
        var note: String?
    }

    @Record("Tally")
    struct Summed: Equatable {
        @ID var id: Int
        var sum: Double
    }

    @Record("Tally")
    struct SummedAndNamed: Equatable {
        @ID var id: Int
        var sum: Double
        var name: String?
    }

    @Record("Total")
    struct Total: Equatable {
        @ID var id: Int
        var sum: Double
    }
}

@Suite("Programs from before a migration, and plans that do not fit the open") struct OlderProgramTests {
    private static let sums = MigrationVersion(
        "2", Count.Summed.self,
        steps: .transform(Count.Noted.self, to: Count.Summed.self) {
            Count.Summed(id: $0.id, sum: Double($0.count))
        })

    private static let totals = MigrationVersion(
        "2", Count.Total.self,
        steps: .transform(Count.Noted.self, to: Count.Total.self) {
            Count.Total(id: $0.id, sum: Double($0.count))
        })

    private static func options(_ versions: MigrationVersion...) -> StoreOptions {
        var options = StoreOptions()
        options.migrations = MigrationPlan([MigrationVersion("1", Count.Noted.self)] + versions)
        return options
    }

    /// Returns a store that the program's first version created and a second opening adapted.
    private static func store() throws -> TestDirectory {
        let directory = try TestDirectory()
        let first = try Store(at: directory.path, records: Count.First.self)
        _ = try first.blockingWrite { try $0.insert(Count.First(id: 1, count: 7)) }
        first.close()
        try Store(at: directory.path, records: Count.Noted.self).close()
        return directory
    }

    private static func error(_ body: () throws -> Void) throws -> StoreError {
        try #require(#expect(throws: StoreError.self) { try body() })
    }

    @Test(arguments: [Count.First.self, Count.Noted.self] as [any Record.Type], [false, true])
    func `a program from before a migration leaves the store to the newer one`(
        older: any Record.Type, isReadOnly: Bool
    ) throws {
        let directory = try Self.store()
        let newer = Self.options(Self.sums)
        try Store(at: directory.path, records: Count.Summed.self, options: newer).close()
        var options = StoreOptions()
        options.isReadOnly = isReadOnly
        let error = try Self.error { try Store(at: directory.path, records: [older], options: options).close() }
        #expect(error.code == .schemaMismatch)
        let start = "the store is newer than this program: a migration replaced the record type Tally: "
        #expect(error.message.hasPrefix(start), "\(error)")
        #expect(error.remedy == "use the newer program")
        let store = try Store(at: directory.path, records: Count.Summed.self, options: newer)
        #expect(try store.read { try $0.all(Count.Summed.self) } == [Count.Summed(id: 1, sum: 7)])
        #expect(store.recordTypes[0].fields.map(\.name) == ["id", "sum"])
    }

    @Test func `a plan may come back to the fields of a version that it left`() throws {
        let directory = try Self.store()
        try Store(at: directory.path, records: Count.Summed.self, options: Self.options(Self.sums)).close()
        let back = MigrationVersion(
            "3", Count.Noted.self,
            steps: .transform(Count.Summed.self, to: Count.Noted.self) {
                Count.Noted(id: $0.id, count: Int($0.sum) + 1, note: "back")
            })
        for _ in 0..<2 {
            let store = try Store(
                at: directory.path, records: Count.Noted.self, options: Self.options(Self.sums, back))
            let all = try store.read { try $0.all(Count.Noted.self) }
            #expect(all == [Count.Noted(id: 1, count: 8, note: "back")])
            store.close()
        }
    }

    @Test(arguments: [false, true])
    func `a plan that leaves behind what the store is opened with is refused before it runs`(removes: Bool) throws {
        let directory = try Self.store()
        let options = Self.options(removes ? Self.totals : Self.sums)
        let error = try Self.error {
            try Store(at: directory.path, records: Count.Noted.self, options: options).close()
        }
        #expect(error.code == .invalidValue)
        #expect(error.message.contains("Count.Noted, but the newest version \"2\" of the migration plan "), "\(error)")
        #expect(
            error.message.hasSuffix(
                removes ? "comes after a step that replaces Tally" : "declares Tally differently"), "\(error)")
        let store = try Store(at: directory.path, records: Count.Noted.self)
        #expect(try store.read { try $0.all(Count.Noted.self) }.map(\.count) == [7])
    }

    @Test func `opening may adapt a type further than the plan's newest version has it`() throws {
        let directory = try Self.store()
        let store = try Store(
            at: directory.path, records: Count.SummedAndNamed.self, options: Self.options(Self.sums))
        #expect(
            try store.read { try $0.all(Count.SummedAndNamed.self) }
                == [Count.SummedAndNamed(id: 1, sum: 7, name: nil)])
    }

    @Test func `a plan with steps to run is refused where this process has the store open`() throws {
        let directory = try Self.store()
        let options = Self.options(Self.sums)
        let first = try Store(at: directory.path, records: Count.Noted.self)
        let error = try Self.error {
            try Store(at: directory.path, records: Count.Summed.self, options: options).close()
        }
        #expect(error.code == .inUse)
        #expect(
            error.message == """
                the migration plan would take the store from version "1" to "2", \
                while another Store of this process has it open
                """)
        #expect(error.remedy == "pass the plan to the first Store that opens the directory, or close that Store first")
        // The first store remains usable, and after it is closed the plan runs.
        #expect(try first.read { try $0.all(Count.Noted.self) }.map(\.count) == [7])
        first.close()
        let second = try Store(at: directory.path, records: Count.Summed.self, options: options)
        #expect(try second.read { try $0.all(Count.Summed.self) } == [Count.Summed(id: 1, sum: 7)])
        // A plan without steps to run does not prevent opening.
        try Store(at: directory.path, records: Count.Summed.self, options: options).close()
    }

    @Test func `a plan of a second open names the version of a store that has no types yet`() throws {
        let directory = try TestDirectory()
        let first = try Store(at: directory.path, records: [])
        let options = Self.options(Self.sums)
        let second = try Store(at: directory.path, records: Count.Summed.self, options: options)
        _ = try second.blockingWrite { try $0.insert(Count.Summed(id: 1, sum: 2)) }
        second.close()
        first.close()
        let again = try Store(at: directory.path, records: Count.Summed.self, options: options)
        #expect(try again.read { try $0.all(Count.Summed.self) } == [Count.Summed(id: 1, sum: 2)])
    }
}
