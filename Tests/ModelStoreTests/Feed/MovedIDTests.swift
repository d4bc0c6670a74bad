import Foundation
import ModelStore
import StoreEngine
import TestSupport
import Testing

/// Migrations that give records other ids, drop some of them, or make two of one.
@Suite("Moved ids", .timeLimit(.minutes(TestLength.waitMinutes))) struct MovedIDTests {
    enum V1 {
        @Record struct Job {
            @ID var id: Int
            var text: String
        }
    }
    enum V2 {
        @Record struct Job {
            @ID var id: Int
            var was: Int
        }
        @Record struct Part {
            @ID var id: Int
            var job: Int
        }
    }

    /// The new id of each old one; without the dropped ones.
    private static func mapping(_ seed: UInt64, count: Int) -> [Int: Int] {
        var random = TestRandom(seed: seed)
        let ids = Array(1...count)
        let kept = seed % 3 == 0 ? ids : ids.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
        let new: [Int] =
            switch seed % 5 {
            case 0: kept
            case 1: kept.map { $0 + 1 }
            case 2: kept.map { count + 1 - $0 }
            case 3: Array(ids.shuffled(using: &random).prefix(kept.count))
            default: Array((1...2 * count).shuffled(using: &random).prefix(kept.count))
            }
        return Dictionary(uniqueKeysWithValues: zip(kept, new))
    }

    @Test(arguments: 0..<30)
    func `a copy that applies the changes in order equals the store, and each new record says what it was`(
        seed: UInt64
    ) async throws {
        let count = [1, 7, 40, 300][Int(seed) % 4]
        let mapping = Self.mapping(seed, count: count)
        let isSplit = seed % 2 == 0
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: V1.Job.self)
        try await old.write { tx in for id in 1...count { try tx.insert(V1.Job(id: id, text: "\(id)")) } }
        old.close()
        let job = MigrationStep.transform(V1.Job.self, to: V2.Job.self) { old in
            mapping[old.id].map { V2.Job(id: $0, was: old.id) }
        }
        let part = MigrationStep.transform(V1.Job.self, to: V2.Part.self) { V2.Part(id: $0.id * 10, job: $0.id) }
        let note = MigrationStep.change { tx in try tx.insert(V2.Part(id: 1, job: 0)) }
        var options = StoreOptions()
        options.migrations = MigrationPlan(
            MigrationVersion("1", V1.Job.self),
            MigrationVersion(
                "2", records: [V2.Job.self, V2.Part.self], steps: isSplit ? [job, part, note] : [job, note]))
        let store = try Store(at: directory.path, records: V2.Job.self, V2.Part.self, options: options)
        let end = try store.position
        for partSize in [1, 5, 512] {
            var feed = FeedOptions()
            feed.changesPerPart = partSize
            var typed: [Int: Int] = [:]
            var exported: [String: String] = [:]
            for try await set in store.changes(from: .oldest, feed) {
                for change in try set.changes(of: V2.Job.self) {
                    typed[change.id] = change.kind == .delete ? nil : change.after?.was ?? -1
                    guard let after = change.after, let replaced = change.replaced else { continue }
                    #expect(replaced.json == #"{"id":\#(after.was),"text":"\#(after.was)"}"#, "\(seed), \(partSize)")
                }
                for change in try set.changes(of: V2.Part.self) where change.replaced != nil {
                    let number = try #require(change.after?.job)
                    #expect(change.replaced?.json == #"{"id":\#(number),"text":"\#(number)"}"#, "\(seed)")
                }
                for event in try set.events(named: "x") where event.typeName == "Job" {
                    guard let key = event.key else { continue }
                    exported[key] = event.operation == .delete ? nil : event.json
                }
                if set.position == end { break }
            }
            let expected = Dictionary(uniqueKeysWithValues: mapping.map { ($0.value, $0.key) })
            #expect(typed == expected, "seed \(seed), \(partSize)")
            #expect(Set(exported.keys) == Set(expected.keys.map { #"{"id":\#($0)}"# }), "seed \(seed), \(partSize)")
            #expect(exported.values.allSatisfy { $0.contains(#""was""#) }, "seed \(seed), \(partSize)")
        }
        store.close()
        _ = try Store.verify(at: directory.path) { Issue.record("\($0)") }
    }

    @Test func `each new record says what it was, unless many exchange their ids`() async throws {
        for count in [2, 64, 65, 200] {
            let directory = try TestDirectory()
            let old = try Store(at: directory.path, records: V1.Job.self)
            try await old.write { tx in for id in 0..<count { try tx.insert(V1.Job(id: id, text: "\(id)")) } }
            old.close()
            var options = StoreOptions()
            options.migrations = MigrationPlan(
                MigrationVersion("1", V1.Job.self),
                MigrationVersion(
                    "2", V2.Job.self,
                    steps: .transform(V1.Job.self, to: V2.Job.self) { V2.Job(id: ($0.id + 1) % count, was: $0.id) }))
            let store = try Store(at: directory.path, records: V2.Job.self, options: options)
            let end = try store.position
            var found = 0
            for try await set in store.changes(from: .oldest) {
                found += try set.changes(of: V2.Job.self).count { $0.replaced != nil }
                if set.position == end { break }
            }
            #expect(found == (count <= 64 ? count : 0), "\(count)")
        }
    }
}
