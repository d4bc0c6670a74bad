import LMDB
import Testing

/// An overlay of another state on a snapshot, compared with a plain array of the expected entries.
@Suite
struct OverlayTests {
    private typealias State = [String: String]

    /// The documented behavior of a cursor.
    private struct Model {
        enum Place {
            case nowhere, beforeFirst, afterLast
            case entry(Int)
        }

        let entries: [(key: String, value: String)]
        var place = Place.nowhere

        init(_ state: State) { entries = state.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }

        var current: (key: String, value: String)? {
            if case .entry(let place) = place { entries[place] } else { nil }
        }

        mutating func go(to wanted: Int?, otherwise: Place) {
            place = wanted.flatMap { entries.indices.contains($0) ? .entry($0) : nil } ?? otherwise
        }

        mutating func next() {
            switch place {
            case .entry(let place): go(to: place + 1, otherwise: .afterLast)
            case .nowhere, .beforeFirst: go(to: 0, otherwise: .afterLast)
            case .afterLast: break
            }
        }

        mutating func previous() {
            switch place {
            case .entry(let place): go(to: place - 1, otherwise: .beforeFirst)
            case .nowhere, .afterLast: go(to: entries.count - 1, otherwise: .beforeFirst)
            case .beforeFirst: break
            }
        }
    }

    private static func randomState(_ random: inout SystemRandomNumberGenerator) -> State {
        var state: State = [:]
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            state[randomKey(&random)] = String(Int.random(in: 0...3, using: &random))
        }
        return state
    }

    private static func randomKey(_ random: inout SystemRandomNumberGenerator) -> String {
        String((0..<Int.random(in: 1...3, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a" })
    }

    /// Returns an overlay with the differences of `older` from `newer`.
    private static func overlay(_ older: State, over newer: State, _ database: LMDBDatabase) throws -> LMDBOverlay {
        var builder = LMDBOverlayBuilder()
        for key in Set(older.keys).union(newer.keys).shuffled() where older[key] != newer[key] {
            switch (older[key], newer[key]) {
            case (let value?, nil):
                unsafe builder.add(database, key: key.bytes.span.bytes, value: value.bytes.span.bytes)
            case (let value?, _?):
                // Both ways must have the same result.
                if Bool.random() {
                    unsafe builder.replace(database, key: key.bytes.span.bytes, value: value.bytes.span.bytes)
                } else {
                    unsafe builder.add(database, key: key.bytes.span.bytes, value: value.bytes.span.bytes)
                    unsafe builder.hide(database, key: key.bytes.span.bytes)
                }
            default: unsafe builder.hide(database, key: key.bytes.span.bytes)
            }
        }
        let overlay = try builder.finish()
        overlay._checkInvariants()
        return overlay
    }

    @Test
    func `Cursors, lookups and counts under an overlay show the other state`() throws {
        var random = SystemRandomNumberGenerator()
        let store = try TemporaryStore()
        for round in 0..<150 {
            let name = "round \(round % 10)"
            let states = (0..<3).map { _ in Self.randomState(&random) }
            try store.environment.put(states[0], in: name)
            var transaction = try store.environment.beginRead()
            let database = try #require(try transaction.snapshot.openDatabase(named: name))
            let overlay = try Self.overlay(states[2], over: states[1], database)
                .combined(over: try Self.overlay(states[1], over: states[0], database))
            overlay._checkInvariants()
            transaction.lay(overlay)
            try Self.check(transaction, database, states[2], &random, "\(states)")
        }
    }

    private static func check(
        _ transaction: borrowing LMDBReadTransaction, _ database: LMDBDatabase, _ state: State,
        _ random: inout SystemRandomNumberGenerator, _ description: String
    ) throws {
        let count = try transaction.snapshot.statistics(of: database).entries
        #expect(count == state.count, "\(description)")
        var cursor = try transaction.snapshot.openCursor(database)
        var model = Model(state)
        var done: [String] = []
        for _ in 0..<60 {
            let key = randomKey(&random)
            let isThere: Bool
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                done.append("first")
                isThere = try cursor.first()
                model.go(to: 0, otherwise: .afterLast)
            case 1:
                done.append("last")
                isThere = try cursor.last()
                model.go(to: model.entries.count - 1, otherwise: .beforeFirst)
            case 2, 3:
                done.append("atLeast \(key)")
                isThere = try cursor.seek(atLeast: key)
                let place = model.entries.firstIndex { !$0.key.utf8.lexicographicallyPrecedes(key.utf8) }
                model.go(to: place, otherwise: .afterLast)
            case 4:
                done.append("exactly \(key)")
                isThere = try cursor.seek(exactly: key)
                model.go(to: model.entries.firstIndex { $0.key == key }, otherwise: .nowhere)
            case 5...8:
                done.append("next")
                isThere = try cursor.next()
                model.next()
            default:
                done.append("previous")
                isThere = try cursor.previous()
                model.previous()
            }
            let expected = model.current
            let found = isThere ? (key: String(cursor.key), value: String(cursor.value)) : nil
            if found?.key != expected?.key || found?.value != expected?.value {
                let shown = "\(String(describing: found)), not \(String(describing: expected))"
                Issue.record("\(description): after \(done) at \(shown)")
                return
            }
            #expect(try transaction.snapshot.value(key, database) == state[key], "\(description): \(key)")
        }
    }

    @Test
    func `An overlay ends with its transaction`() throws {
        let store = try TemporaryStore()
        try store.environment.put(["a": "1"], in: "test")
        do {
            var transaction = try store.environment.beginRead()
            let database = try #require(try transaction.snapshot.openDatabase(named: "test"))
            transaction.lay(try Self.overlay([:], over: ["a": "1"], database))
            #expect(try transaction.snapshot.value("a", database) == nil)
        }
        #expect(try store.environment.value("a") == "1")
    }

    @Test
    func `Two values for one key are refused, and many layers take the memory of what is in them`() throws {
        let database = LMDBDatabase(handle: 7)
        var builder = LMDBOverlayBuilder()
        for value in ["1", "2"] {
            unsafe builder.add(database, key: "a".bytes.span.bytes, value: value.bytes.span.bytes)
        }
        do {
            _ = try builder.finish()
            Issue.record("nothing was refused")
        } catch {
            #expect(error.database == database)
        }
        var overlay = try Self.overlay([:], over: [:], database)
        for number in 0..<500 {
            overlay = overlay.combined(over: try Self.overlay(["k\(number)": "x"], over: [:], database))
        }
        #expect(overlay.entryCount == 500)
        #expect(overlay.byteCount < 100_000)
    }
}

extension LMDBEnvironment {
    /// Replaces the content of a database.
    fileprivate func put(_ state: [String: String], in name: String) throws {
        var transaction = try beginWrite()
        let database = try transaction.database(name)
        var old: [[UInt8]] = []
        do {
            var cursor = try transaction.snapshot.openCursor(database)
            var isPositioned = try cursor.first()
            while isPositioned {
                old.append(String(cursor.key).bytes)
                isPositioned = try cursor.next()
            }
        }
        for key in old { unsafe try transaction.delete(database, key: key.span.bytes) }
        for (key, value) in state { try transaction.put(database, key, value) }
        try transaction.commit()
    }
}

extension LMDBSnapshot {
    fileprivate func value(_ key: String, _ database: LMDBDatabase) throws -> String? {
        guard let bytes = unsafe try get(database, key: key.bytes.span.bytes) else { return nil }
        return String(bytes)
    }
}
