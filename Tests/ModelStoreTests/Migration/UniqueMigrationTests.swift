import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Versions of a type whose reference, or widened field, is unique.
private enum Staff {
    @Record("Person")
    struct First: Equatable {
        @ID var id: Int
        @Unique var badge: Int16
        @Reference(onDelete: .cascade) var boss: Reference<Staff.First>?
    }

    @Record("Person")
    struct Paired: Equatable {
        @ID var id: Int
        @Unique var badge: Int16
        @Unique @Reference(onDelete: .cascade) var boss: Reference<Staff.Paired>?

        static let assistants = Inverse<Staff.Paired, Staff.Paired>(\.boss)
    }

    @Record("Person")
    struct Wide: Equatable {
        @ID var id: Int
        @Unique var badge: Int?
        @Reference(onDelete: .cascade) var boss: Reference<Staff.Wide>?
    }

    @Record("Paper")
    struct Paper {
        @ID var id: Int
        var text: String
    }

    @Record("Paper")
    struct UniquePaper {
        @ID var id: Int
        @Unique var text: String
    }
}

@Suite("Unique indexes that change") struct UniqueMigrationTests {
    private static func directory() throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Staff.First.self)
        try store.write { tx in
            for id in 0..<20 { try tx.insert(Staff.First(id: id, badge: Int16(id), boss: Reference(id / 10))) }
        }
        store.close()
        return directory
    }

    @Test func `a reference that cannot be unique keeps an index`() throws {
        let directory = try Self.directory()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try Store(at: directory.path, records: Staff.Paired.self) }
            #expect(error?.code == .uniqueViolation, "\(error!)")
        }
        let store = try Store(at: directory.path, records: Staff.First.self)
        #expect(store.recordTypes[0].indexes.allSatisfy { !$0.isBuilding })
        try AutomaticMigrationTests.expectSound(store)
        try store.write { tx in _ = try tx.delete(Staff.First.self, id: 1) }
        #expect(try store.read { try $0.count(Staff.First.self) } == 9)
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `a unique field that becomes wider refuses equal values at every moment`() throws {
        let directory = try Self.directory()
        var options = StoreOptions()
        options.buildsIndexes = false
        let store = try Store(at: directory.path, records: Staff.Wide.self, options: options)
        let error = #expect(throws: StoreError.self) {
            try store.write { tx in _ = try tx.insert(Staff.Wide(id: 100, badge: 7)) }
        }
        #expect(error?.code == .uniqueViolation)
        try store.buildIndexes()
        #expect(try store.read { try $0.fetch(Staff.Wide.where { $0.badge == 7 }) }.map(\.id) == [7])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `records are asked who refers to them while the index on the reference is built, and after`() throws {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: Staff.First.self)
        try old.write { tx in
            for id in 0..<20 {
                // The boss of each odd id is the next even id. For the last odd id, it is the first id.
                let boss = id.isMultiple(of: 2) ? nil : Reference<Staff.First>((id + 1) % 20)
                try tx.insert(Staff.First(id: id, badge: Int16(id), boss: boss))
            }
        }
        old.close()
        var options = StoreOptions()
        options.buildsIndexes = false
        let store = try Store(at: directory.path, records: Staff.Paired.self, options: options)
        for isBuilt in [false, true] {
            if isBuilt { try store.buildIndexes() }
            #expect(store.recordTypes[0].indexes.contains { $0.isBuilding } == !isBuilt)
            func ids(_ condition: (Staff.Paired.Fields) -> Condition<Staff.Paired>) throws -> [Int] {
                try store.read { try $0.fetch(Staff.Paired.where(condition)) }.map(\.id).sorted()
            }
            #expect(try ids { _ in Staff.Paired.assistants.isEmpty } == (0..<10).map { 2 * $0 + 1 })
            #expect(try ids { $0.id < 5 && Staff.Paired.assistants.count == 1 } == [0, 2, 4])
            #expect(try ids { _ in Staff.Paired.assistants.any { $0.badge == 7 } } == [8])
            #expect(try ids { $0.id == 8 && Staff.Paired.assistants.any { $0.badge == 7 } } == [8])
            #expect(try ids { $0.badge > 16 && $0.boss.inverse(Staff.Paired.assistants).count == 1 } == [17, 19])
            let boss = try store.read { try $0.fetch(Staff.Paired.assistants, of: 8) }
            #expect(boss.map(\.id) == [7])
        }
    }

    @Test func `a store whose index could not be built goes on, and builds it once its records allow`() throws {
        let directory = try Self.directory()
        var options = StoreOptions()
        options.buildsIndexes = false
        let store = try Store(at: directory.path, records: Staff.Paired.self, options: options)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try store.buildIndexes() }
            #expect(error?.code == .uniqueViolation, "\(error!)")
            #expect(try store.read { try $0.count(Staff.Paired.self) } == 20)
            try store.write { tx in try tx.update(Staff.Paired.self, id: 3) { $0.badge += 100 } }
        }
        try store.write { tx in
            for id in 0..<20 { try tx.update(Staff.Paired.self, id: id) { $0.boss = id == 5 ? 6 : nil } }
        }
        try store.buildIndexes()
        let error = #expect(throws: StoreError.self) {
            try store.write { tx in try tx.update(Staff.Paired.self, id: 7) { $0.boss = 6 } }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(try store.read { try $0.fetch(Staff.Paired.where { $0.boss == 6 }) }.map(\.id) == [5])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test(arguments: [false, true])
    func `texts too long for a key are unique by all of them, while an index is built and after`(areEqual: Bool) throws
    {
        let directory = try TestDirectory()
        let long = String(repeating: "long ", count: 200)
        let old = try Store(at: directory.path, records: Staff.Paper.self)
        try old.write { tx in
            for id in 0..<6 { try tx.insert(Staff.Paper(id: id, text: long + "\(areEqual ? id / 5 : id)")) }
        }
        old.close()
        if areEqual {
            let error = #expect(throws: StoreError.self) {
                try Store(at: directory.path, records: Staff.UniquePaper.self)
            }
            #expect(error?.code == .uniqueViolation)
            return
        }
        let store = try Store(at: directory.path, records: Staff.UniquePaper.self)
        for change in [
            { (tx: inout WriteTransaction) in _ = try tx.insert(Staff.UniquePaper(id: 9, text: long + "3")) },
            { (tx: inout WriteTransaction) in try tx.update(Staff.UniquePaper.self, id: 2) { $0.text = long + "3" } },
        ] as [@Sendable (inout WriteTransaction) throws -> Void] {
            let error = #expect(throws: StoreError.self) { try store.write { try change(&$0) } }
            #expect(error?.code == .uniqueViolation)
        }
        try store.write { tx in try tx.update(Staff.UniquePaper.self, id: 2) { $0.text = long + "new" } }
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `a deletion while an index is built leaves the entry of another record`() throws {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: Staff.Paper.self)
        try old.write { tx in for id in 0..<6 { try tx.insert(Staff.Paper(id: id, text: "\(id)")) } }
        old.close()
        var options = StoreOptions()
        options.buildsIndexes = false
        let store = try Store(at: directory.path, records: Staff.UniquePaper.self, options: options)
        // The index does not have the entry of the old record yet.
        try store.write { tx in try tx.insert(Staff.UniquePaper(id: 9, text: "3")) }
        try store.write { tx in try tx.delete(Staff.UniquePaper.self, id: 3) }
        let error = #expect(throws: StoreError.self) {
            try store.write { tx in try tx.insert(Staff.UniquePaper(id: 10, text: "3")) }
        }
        #expect(error?.code == .uniqueViolation)
        try store.buildIndexes()
        #expect(try store.read { try $0.fetch(Staff.UniquePaper.where { $0.text == "3" }) }.map(\.id) == [9])
        try AutomaticMigrationTests.expectSound(store)
    }
}
