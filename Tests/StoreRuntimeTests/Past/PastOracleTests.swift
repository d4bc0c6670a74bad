import Foundation
import LMDB
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Earlier states of stores with random histories, compared with the content that the stores had then.
@Suite struct PastOracleTests {
    private static let blocks = TestLength.seedBlocks(4, long: 200, of: 5)

    @Test(arguments: blocks)
    func `a view of a position shows what the store held there, by every path`(seeds: Range<UInt64>) throws {
        for seed in seeds {
            let history = try PastHistory(seed: seed)
            defer { history.store.close() }
            try history.write(commits: 8)
            try history.addTickets()
            // This snapshot is opened early, so that each read has to bring it forward.
            let kept = try history.store.snapshot(at: history.moments[history.random.pick([0, 3, 7])].position)
            for round in 0..<3 {
                try history.write(commits: history.random.pick([0, 1, 4]))
                let place = "MODELSTORE_SEED=\(seed), round \(round)"
                let moment = history.random.pick(history.moments)
                try history.store.read(at: moment.position) { tx in
                    try check(tx, moment, history, "\(place), at \(moment.position.sequence)")
                }
                let early = try #require(history.moments.first { $0.position == kept.position })
                try kept.read { tx in
                    try check(tx, early, history, "\(place), kept at \(kept.position.sequence)")
                }
            }
            #expect(
                kept.changedTypes == (kept.position.sequence < history.moments[9].position.sequence ? ["Ticket"] : []))
        }
    }

    private func check(
        _ tx: borrowing ReadTransaction, _ moment: PastHistory.Moment, _ history: PastHistory, _ place: String
    ) throws {
        let scope = tx._reading
        #expect(try scope.contentHash() == moment.contentHash, "\(place)")
        for type in scope.catalog.types.indices {
            let expected = moment.records(scope.catalog.types[type].type, at: type)
            let name = scope.catalog.types[type].name
            var found: [DynamicRecord] = []
            try scope.forEachDynamic(typeIndex: type) {
                found.append($0)
                return true
            }
            // Compared as text, because a record that contains NaN does not equal itself.
            try requireSame("\(found)", "\(expected)", "\(place), \(name)")
            #expect(try scope.count(typeIndex: type) == expected.count, "\(place), \(name)")
            for index in scope.catalog.types[type].indexes where !index.isMultiple {
                let entries = try scope.snapshot.statistics(of: index.database).entries
                #expect(entries == expected.count, "\(place), \(name), an index")
            }
            for number in 0..<4 {
                try RequestCheck(place: "\(place), \(name), request \(number)").run(tx, type, &history.random, expected)
            }
        }
    }

    @Test(arguments: blocks)
    func `a difference is what two states differ in, in either direction`(seeds: Range<UInt64>) throws {
        for seed in seeds {
            let history = try PastHistory(seed: seed)
            defer { history.store.close() }
            try history.write(commits: 5)
            try history.addTickets()
            try history.write(commits: 5)
            for _ in 0..<6 {
                let (from, to) = (history.random.pick(history.moments), history.random.pick(history.moments))
                let place = "MODELSTORE_SEED=\(seed), \(from.position.sequence) to \(to.position.sequence)"
                let difference = try history.store.difference(from: from.position, to: to.position)
                let catalog = try history.store.read { $0._reading.catalog }
                let found = try difference.changes.map { try Self.text($0) }.sorted()
                let expected = Self.differences(from, to, catalog)
                try requireSame(found, expected, "\(place)")
            }
        }
    }

    private static func text(_ change: RecordChange) throws -> String {
        let type = try #require(change.type)
        let (before, after) = (try change.before(), try change.after())
        return text(type, change.kind, before: before, after: after, changed: change.changedFields)
    }

    private static func text(
        _ type: OpenType, _ kind: ChangeKind, before: JSONValue?, after: JSONValue?, changed: [String]
    ) -> String {
        let states = [before, after].map { $0.map { JSONWriter.text(of: $0) } ?? "-" }
        return "\(type.name) \(kind) \(states) \(changed)"
    }

    private static func differences(
        _ from: PastHistory.Moment, _ to: PastHistory.Moment, _ catalog: Catalog
    ) -> [String] {
        var texts: [String] = []
        for (place, type) in catalog.types.enumerated() {
            let (old, new) = (byKey(from, place), byKey(to, place))
            for key in Set(old.keys).union(new.keys) {
                let (before, after) = (old[key], new[key])
                var kind = before == nil ? ChangeKind.insert : .delete
                var changed: [String] = []
                if let before, let after {
                    kind = before.incarnation == after.incarnation ? .update : .replace
                    let fields = zip(before.record.values, after.record.values).enumerated()
                    let names = fields.filter {
                        // Compared by bytes, because Swift treats canonically equivalent texts as equal.
                        !"\($0.element.0)".utf8.elementsEqual("\($0.element.1)".utf8)
                    }.map {
                        type.type.fields[$0.offset].name
                    }
                    if names.isEmpty { continue }
                    if kind == .update { changed = names }
                }
                texts.append(
                    text(
                        type, kind, before: before?.record.json(type.type), after: after?.record.json(type.type),
                        changed: changed))
            }
        }
        return texts.sorted()
    }

    private static func byKey(_ moment: PastHistory.Moment, _ type: Int) -> [[UInt8]: PastHistory.Stored] {
        guard type < moment.records.count else { return [:] }
        return Dictionary(uniqueKeysWithValues: moment.records[type].map { ($0.key, $0) })
    }
}
