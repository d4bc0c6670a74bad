import TestSupport
@testable import LMDB

/// A database with random changes, and its expected content.
struct TreeHistory {
    /// The form of the keys.
    private enum Form: CaseIterable {
        case numbers
        case short
        case sharingBeginnings
        case ofAnyLength
    }

    private let store: TemporaryStore
    private var random: TestRandom
    private let form: Form
    private let size: Int
    private let largestValue: Int
    private var entries: [[UInt8]: [UInt8]] = [:]

    init(seed: UInt64) throws {
        store = try TemporaryStore()
        random = TestRandom(seed: seed)
        form = Form.allCases[Int(seed) % Form.allCases.count]
        size = [1, 3, 60, 400, 3_000][Int.random(in: 0..<5, using: &random)]
        largestValue = random.chance(30) ? 9_000 : 60
    }

    /// Inserts some entries, and replaces and deletes others.
    mutating func commit() throws {
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        // All keys in order. The random removals then hit the same keys for the same seed.
        for key in entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) where random.chance(30) {
            entries[key] = nil
            unsafe try transaction.delete(database, key: key.span.bytes)
        }
        for _ in 0..<size {
            let (key, value) = (makeKey(), makeValue())
            entries[key] = value
            unsafe try transaction.put(database, key: key.span.bytes, value: value.span.bytes)
        }
        try transaction.commit()
    }

    /// Returns a description of a wrong result in a new snapshot; nil if everything is right.
    mutating func mismatch() throws -> String? {
        let transaction = try store.environment.beginRead()
        guard let database = try transaction.snapshot.openDatabase(named: "test") else { return "no database" }
        for _ in 0..<2 {
            var asked = entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
            asked += asked.prefix(300).flatMap { neighbours(of: $0) }
            let inOrder = asked.sorted { $0.lexicographicallyPrecedes($1) }
            asked.shuffle(using: &random)
            for key in asked {
                let value = unsafe try transaction.snapshot.get(database, key: key.span.bytes)?.array()
                guard value == entries[key] else { return "\(key) has \(String(describing: value))" }
            }
            let some = inOrder.filter { _ in random.chance(20) }
            for asked in [asked, inOrder, some, inOrder.reversed()] {
                let mismatch = mismatch(asked, database, transaction.snapshot)
                if let mismatch { return mismatch }
            }
        }
        return try TreeWalk(entries, database).mismatch(transaction.snapshot, &random)
    }

    /// Searches for keys in batches of sixteen, each batch using the results of the previous one. Returns a description of a
    /// wrong result; nil if everything is right.
    private func mismatch(
        _ asked: [[UInt8]], _ database: LMDBDatabase, _ snapshot: borrowing LMDBSnapshot
    ) -> String? {
        var values = FoundValues()
        for start in stride(from: 0, to: asked.count, by: FoundValues.capacity) {
            let keys = Array(asked[start..<min(start + FoundValues.capacity, asked.count)])
            let found = KeyBatch(keys).find(database, snapshot, with: &values)
            for (key, value) in zip(keys, found) {
                // Large values may be on overflow pages, which this search does not read. A smaller value that replaces one stays
                // there.
                guard value == entries[key] || (value == nil && largestValue > 1_000) else {
                    return "\(key) has \(String(describing: value)) where it is looked for with others"
                }
            }
        }
        return nil
    }

    private mutating func makeKey() -> [UInt8] {
        switch form {
        case .numbers:
            let number = random.chance(50) ? UInt64.random(in: 0..<5_000, using: &random) : random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        case .short: return bytes(Int.random(in: 1...7, using: &random))
        case .sharingBeginnings: return "the same beginning: ".bytes + bytes(Int.random(in: 0...12, using: &random))
        case .ofAnyLength: return bytes(Int.random(in: 1...511, using: &random))
        }
    }

    private mutating func makeValue() -> [UInt8] {
        Array(
            repeating: UInt8.random(in: 0...255, using: &random),
            count: Int.random(in: 0...largestValue, using: &random))
    }

    /// Returns bytes of few values, including the extremes, so that many keys differ only near their ends.
    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
        }
    }

    /// Returns keys directly before or after a key.
    private func neighbours(of key: [UInt8]) -> [[UInt8]] {
        var changed = key
        changed[key.count - 1] &+= 1
        var near = [changed]
        if key.count > 1 { near.append(Array(key.dropLast())) }
        if key.count < LMDBKey.maximumByteCount { near.append(key + [0]) }
        return near
    }
}

/// Up to sixteen keys for one search.
struct KeyBatch {
    private let bytes: [UInt8]
    private let ends: [Int]

    init(_ keys: [[UInt8]]) {
        bytes = keys.flatMap { $0 }
        ends = keys.indices.map { keys[...$0].reduce(0) { $0 + $1.count } }
    }

    /// Returns the values found together.
    ///
    /// - Parameter values: The results of the previous search, with their locations.
    @_lifetime(values: copy snapshot)
    func find(
        _ database: LMDBDatabase, _ snapshot: borrowing LMDBSnapshot, with values: inout FoundValues
    ) -> [[UInt8]?] {
        unsafe snapshot.find(database, keys: bytes.span.bytes, ends: ends.span, 0..<ends.count, into: &values)
        var found: [[UInt8]?] = []
        for number in ends.indices { found.append(values[number]?.array()) }
        return found
    }
}

extension RawSpan {
    func array() -> [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
