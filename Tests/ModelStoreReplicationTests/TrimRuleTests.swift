import Foundation
import Testing

@testable import ModelStoreReplication

/// Which entries a log needs no more, and how the manifest of its snapshots is kept.
@Suite struct TrimRuleTests {
    private let now = Date(timeIntervalSinceReferenceDate: 1_000_000)

    private func position(_ index: UInt64, generation: UInt64 = 1) -> LogPosition {
        LogPosition(generation: generation, index: index, hash: LogHash(high: index, low: generation))
    }

    private func manifest(_ marks: [(index: UInt64, age: Double)]) throws -> SnapshotManifest {
        var manifest: SnapshotManifest?
        for (index, age) in marks {
            manifest = SnapshotManifest(
                SnapshotManifest.Mark(position: position(index), time: now.addingTimeInterval(-age)), byteCount: 7,
                checksum: LogHash(high: 1, low: 2), file: "snapshot-\(index)", replacing: manifest)
        }
        return try #require(manifest)
    }

    private func trimmed(_ marks: [(index: UInt64, age: Double)], _ members: [LogPosition]) throws -> UInt64? {
        let rule = TrimRule(retainedSeconds: 60)
        return rule.position(try manifest(marks), members.map { LogMember(applied: $0) }, now: now)?.index
    }

    @Test func `entries before the newest snapshot that is old enough go`() throws {
        #expect(try trimmed([(10, 60)], []) == 10)
        #expect(try trimmed([(10, 59)], []) == nil)
        #expect(try trimmed([(10, 500), (20, 70), (30, 10)], []) == 20)
    }

    @Test func `entries that a node has not applied stay`() throws {
        #expect(try trimmed([(10, 500), (20, 70)], [position(20), position(25)]) == 20)
        #expect(try trimmed([(10, 500), (20, 70)], [position(15), position(25)]) == 15)
        #expect(try trimmed([(20, 70)], [position(0)]) == nil)
        // A node of an earlier generation cannot apply them.
        #expect(try trimmed([(20, 70)], [position(5, generation: 9)]) == 20)
    }

    @Test func `a clock that is wrong by a day keeps or removes, and nothing else`() throws {
        #expect(try trimmed([(10, -86_400)], []) == nil)
        #expect(try trimmed([(10, 86_400)], [position(4)]) == 4)
    }

    @Test func `a manifest is read as it was written, and a cut one is damage`() throws {
        let bytes = try manifest([(10, 500), (20, 70)]).bytes
        #expect(try SnapshotManifest(bytes) == manifest([(10, 500), (20, 70)]))
        for count in 0..<bytes.count {
            let error = #expect(throws: SharedLogError.self) { _ = try SnapshotManifest(Array(bytes[..<count])) }
            #expect(error?.code == .damaged)
        }
    }

    @Test func `a manifest remembers as many snapshots as it may`() throws {
        let many = try manifest((1...40).map { (UInt64($0), 100) })
        #expect(many.earlier.map(\.position.index) == (24...39).map { $0 })
        #expect(try SnapshotManifest(many.bytes) == many)
    }
}
