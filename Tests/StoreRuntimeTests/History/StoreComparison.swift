import Foundation
import LMDB
import StoreEngine
import TestSupport

@testable import StoreRuntime

/// Compares a store with the oracle.
struct StoreComparison {
    private let retained: Int
    /// The change sets that the feed must contain, by sequence number.
    private var changeSets: [UInt64: (changes: [Oracle.Change], position: Position)] = [:]

    init(retained: Int) { self.retained = retained }

    /// Adds the change set that a closure must have made.
    mutating func note(_ changes: [Oracle.Change], _ position: Position) {
        if !changes.isEmpty { changeSets[position.sequence] = (changes, position) }
    }

    /// Compares records, indexes, counters, reads and the feed.
    ///
    /// - Throws: ``Difference``.
    mutating func check(_ store: Store, _ oracle: Oracle) throws {
        let state = store.core.state
        let oldest = try store.read { (tx) throws in
            let scope = tx._reading
            let key = try OracleKey(scope.snapshot)
            for kind in AnyModel.Kind.allCases {
                let type = state.catalog.types[kind.rawValue - 1]
                try checkRecords(kind, type, key, scope.snapshot, oracle)
                try checkIndexes(kind, type, key, scope.snapshot, oracle)
            }
            try checkCounter(scope.snapshot, oracle)
            try checkReads(tx, oracle)
            return try checkFeed(scope, oracle, key)
        }
        changeSets = changeSets.filter { $0.key >= oldest }
    }

    /// Runs `verify`, which must find nothing.
    func verify(_ store: Store) throws {
        var found: [VerifyFinding] = []
        try store.verify { found.append($0) }
        guard found.isEmpty else { throw Difference("verify finds \(found)") }
    }

    private func checkRecords(
        _ kind: AnyModel.Kind, _ type: OpenType, _ key: OracleKey, _ snapshot: LMDBSnapshot, _ oracle: Oracle
    ) throws {
        var expected: [[UInt8]: Oracle.Row] = [:]
        for (name, row) in oracle.rows where name.kind == kind { expected[key.record(name.key)] = row }
        for entry in try snapshot.entries(of: type.database) {
            guard let row = expected.removeValue(forKey: entry.key) else {
                throw Difference("\(kind) \(PlantedDamage.hex(entry.key)) is there and should not be")
            }
            try compare(entry.value, row, "\(kind)")
        }
        guard expected.isEmpty else { throw Difference("\(kind): \(expected.values.map(\.model)) are not there") }
    }

    private func compare(_ bytes: [UInt8], _ row: Oracle.Row, _ place: String) throws {
        var what: String { "\(place) \(row.model)" }
        let record = unsafe try RecordBytes(bytes.span.bytes)
        let table = try record.table
        guard record.incarnation == row.incarnation else {
            throw Difference("\(what) has the incarnation \(record.incarnation), expected \(row.incarnation)")
        }
        guard table.count == row.bytes.count else { throw Difference("\(what) has \(table.count) fields") }
        for (place, expected) in row.bytes.enumerated() {
            let field = try table.field(place).array()
            guard field == expected else { throw Difference("\(what): field \(place) is \(field), not \(expected)") }
        }
    }

    private func checkIndexes(
        _ kind: AnyModel.Kind, _ type: OpenType, _ key: OracleKey, _ snapshot: LMDBSnapshot, _ oracle: Oracle
    ) throws {
        for (number, index) in type.indexes.enumerated() {
            let found = try snapshot.entries(of: index.database)
            let expected = oracle.entries(of: kind, index: number, key)
            guard found == expected else {
                throw Difference("index \(number) of \(kind) holds \(found), expected \(expected)")
            }
        }
    }

    private func checkCounter(_ snapshot: LMDBSnapshot, _ oracle: Oracle) throws {
        let key = MetadataKey.assigned(type: 2)
        let entry = try snapshot.entries(of: StoreDatabases.metadataName).first { $0.key == key }
        let found = try entry.map { try UInt64(from: $0.value) } ?? 0
        guard found == oracle.greatestID else {
            throw Difference("the greatest assigned id is \(found), expected \(oracle.greatestID)")
        }
    }

    private func checkReads(_ tx: borrowing ReadTransaction, _ oracle: Oracle) throws {
        for row in oracle.rows.values {
            switch row.model {
            case .sensor(let sensor):
                try same(tx.get(Sensor.self, id: sensor.id), sensor)
                try same(tx.get(Sensor.self, unique: \.serial, equals: sensor.serial), sensor)
                try same(tx.value(Sensor.self, id: sensor.id, \.celsius), sensor.celsius)
            case .ticket(let ticket):
                try same(tx.get(Ticket.self, id: ticket.id), ticket)
                if let code = ticket.code { try same(tx.get(Ticket.self, unique: \.code, equals: code), ticket) }
            case .slot(let slot):
                try same(tx.get(Slot.self, id: slot.recordID), slot)
                try same(tx.contains(Slot.self, id: slot.recordID), true)
            }
        }
        try same(tx.count(Sensor.self), oracle.rows.keys.count { $0.kind == .sensor })
    }

    private func same<T: Equatable>(_ found: T?, _ expected: T) throws {
        guard found == expected else {
            throw Difference("a read gives \(found.map { "\($0)" } ?? "nil"), expected \(expected)")
        }
    }

    // MARK: The feed

    /// Compares the feed, and returns the number of its oldest change set.
    private func checkFeed(_ scope: borrowing ReadContext, _ oracle: Oracle, _ key: OracleKey) throws -> UInt64 {
        let head = try scope.feedHead()
        guard head.sequence == oracle.sequence else {
            throw Difference("the newest change set is \(head.sequence), expected \(oracle.sequence)")
        }
        // Opening adds the schemas. The first write trims the feed.
        let oldest = max(1, Int(oracle.sequence) - retained + 1)
        guard head.oldest == UInt64(oldest) || (oracle.sequence == 3 && head.oldest == 1) else {
            throw Difference("the oldest change set is \(head.oldest), expected \(oldest)")
        }
        let fragments = try scope.snapshot.entries(of: StoreDatabases.feedName)
        let sequences = Set(fragments.map { entry in entry.key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } })
        guard sequences == Set(head.oldest..<head.sequence + 1) else {
            throw Difference("the feed holds \(sequences.sorted()), expected \(head.oldest) to \(head.sequence)")
        }
        var previous: UInt64?
        for sequence in head.oldest...head.sequence {
            guard let entry = try scope.feedEntry(sequence) else {
                throw Difference("change set \(sequence) is not there")
            }
            if let previous, entry.previousHash != previous { throw Difference("the chain breaks at \(sequence)") }
            previous = entry.hash
            if let expected = changeSets[sequence] { try compare(entry, expected, key) }
        }
        guard previous == head.hash else { throw Difference("the head has another hash than \(head.sequence)") }
        return head.oldest
    }

    private func compare(
        _ entry: FeedEntry, _ expected: (changes: [Oracle.Change], position: Position), _ key: OracleKey
    ) throws {
        let what = "change set \(entry.sequence)"
        guard entry.hash == expected.position.hash, entry.epoch == expected.position.epoch else {
            throw Difference("\(what) has another hash or epoch than the position that its write returned")
        }
        guard entry.time == Oracle.time else { throw Difference("\(what) has the time \(entry.time)") }
        guard entry.changes.count == expected.changes.count else {
            throw Difference("\(what) has \(entry.changes.count) changes, expected \(expected.changes)")
        }
        for (change, expected) in zip(entry.changes, expected.changes) {
            try compare(change, expected, key, what)
        }
    }

    private func compare(_ change: FeedChange, _ expected: Oracle.Change, _ key: OracleKey, _ what: String) throws {
        let kind: ChangeKind = expected.before == nil ? .insert : expected.after == nil ? .delete : .update
        guard change.kind == kind, change.type == UInt32(expected.name.kind.rawValue),
            change.key == key.record(expected.name.key), let row = expected.after ?? expected.before
        else { throw Difference("\(what) has \(change.kind) of \(change.key), expected \(kind) of \(expected.name)") }
        try compare(change.record, row, what)
        var earlier: [UInt32: [UInt8]?] = [:]
        if let before = expected.before, let after = expected.after {
            for (place, (old, new)) in zip(before.bytes, after.bytes).enumerated() where old != new {
                earlier[UInt32(place)] = old
            }
        }
        guard Dictionary(uniqueKeysWithValues: change.earlier.map { ($0.field, $0.bytes) }) == earlier else {
            throw Difference("\(what) has the earlier values \(change.earlier), expected \(earlier)")
        }
    }
}
