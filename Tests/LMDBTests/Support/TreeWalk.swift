import TestSupport
@testable import LMDB

/// Walks a cursor over a database, and reports where it visits an unexpected entry.
struct TreeWalk {
    /// Keys and values, in key order.
    private let entries: [(key: [UInt8], value: [UInt8])]
    private let database: LMDBDatabase

    init(_ entries: [[UInt8]: [UInt8]], _ database: LMDBDatabase) {
        self.entries = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
            (key: $0.key, value: $0.value)
        }
        self.database = database
    }

    /// Walks over all entries, and back and forth from random entries. Returns a description of a wrong result; nil if everything
    /// is right.
    func mismatch(_ snapshot: borrowing LMDBSnapshot, _ random: inout TestRandom) throws -> String? {
        for step in [1, -1] {
            if let mismatch = try walkToAndFro(snapshot, from: nil, steps: [step * (entries.count + 2)]) {
                return mismatch
            }
        }
        for _ in 0..<6 {
            let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                let length = Int.random(in: 0...(random.chance(20) ? 2 * entries.count : 40), using: &random)
                return random.chance(50) ? length : -length
            }
            let start = Int.random(in: 0...entries.count, using: &random)
            if let mismatch = try walkToAndFro(snapshot, from: start, steps: steps) { return mismatch }
            if let mismatch = try skip(snapshot, &random) { return mismatch }
        }
        return nil
    }

    /// - Parameters:
    ///   - start: The index of the entry at which a search begins; the count for a search behind the last entry; nil for no
    ///     search.
    ///   - steps: The number of entries to move forward, or backward if negative.
    private func walkToAndFro(_ snapshot: borrowing LMDBSnapshot, from start: Int?, steps: [Int]) throws -> String? {
        var cursor = try snapshot.openCursor(database)
        var place: Int
        if let start {
            place = start
            let key = start < entries.count ? entries[start].key : Array(repeating: 0xFF, count: 511)
            let isThere = unsafe try cursor.seek(atLeast: key.span.bytes)
            guard isThere == (start < entries.count) else { return "the search for \(key) gives \(isThere)" }
        } else {
            place = (steps.first ?? 0) > 0 ? -1 : entries.count
        }
        for (run, length) in steps.enumerated() {
            for step in 0..<abs(length) {
                place = Swift.max(-1, Swift.min(entries.count, place + (length > 0 ? 1 : -1)))
                let isThere = length > 0 ? try cursor.next() : try cursor.previous()
                let what = "from \(start.map(String.init) ?? "nowhere") by \(steps), run \(run), step \(step)"
                guard isThere == entries.indices.contains(place) else { return "\(what): \(isThere) at \(place)" }
                guard isThere else { continue }
                guard cursor.key.array() == entries[place].key else { return "\(what): another key at \(place)" }
                guard cursor.value.array() == entries[place].value else { return "\(what): another value at \(place)" }
            }
        }
        return nil
    }

    /// Counts the entries to a later one.
    private func skip(_ snapshot: borrowing LMDBSnapshot, _ random: inout TestRandom) throws -> String? {
        guard let start = entries.indices.randomElement(using: &random) else { return nil }
        let before = Int.random(in: 0..<(entries.count - start), using: &random)
        let end = Int.random(in: (start + before)..<entries.count, using: &random)
        let address = try address(of: end, snapshot)
        var cursor = try snapshot.openCursor(database)
        let key = entries[start].key
        _ = unsafe try cursor.seek(exactly: key.span.bytes)
        // The cursor may or may not have moved far enough to walk in the map.
        for _ in 0..<before { _ = try cursor.next() }
        let count = try cursor.skip(to: address)
        guard count == end - start - before else { return "\(count) entries from \(start), \(before) on, to \(end)" }
        guard cursor.key.array() == entries[end].key else { return "skipped to another key than the one at \(end)" }
        let rest = try cursor.skip(to: 1)
        return rest == entries.count - 1 - end ? nil : "\(rest) entries from \(end) to the end"
    }

    private func address(of place: Int, _ snapshot: borrowing LMDBSnapshot) throws -> UInt {
        var cursor = try snapshot.openCursor(database)
        let key = entries[place].key
        _ = unsafe try cursor.seek(exactly: key.span.bytes)
        return cursor.address
    }
}
