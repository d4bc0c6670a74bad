import TestSupport
import Testing

@testable import StoreEngine

/// The tree of key ranges, compared with a list of them.
@Suite struct IntervalTreeTests {
    @Test(arguments: 0..<TestLength.runs(40, long: 2_000))
    func `random runs are found as in a plain list`(run: Int) throws {
        var random = TestRandom(seed: UInt64(run) &* 7_877 &+ 5)
        var tree = IntervalTree()
        var list: [(range: KeyRange, value: Int32)] = []
        for number in 0..<400 {
            if !list.isEmpty, random.oneIn(run % 2 == 0 ? 3 : 2) {
                let gone = list.remove(at: random.below(list.count))
                tree.remove(gone.range, gone.value)
            } else {
                // Some ranges occur again with another number.
                let range = random.oneIn(5) && !list.isEmpty ? random.pick(list).range : Self.range(&random)
                list.append((range, Int32(number)))
                tree.insert(range, Int32(number))
            }
            tree._checkInvariants()
            guard tree.count == list.count else { throw Mismatch("run \(run): \(tree.count) runs") }
            let key = Self.key(&random)
            var found: [Int32] = []
            tree.forEach(holding: key) { found.append($0) }
            let expected = list.filter { Self.holds($0.range, key) }.map(\.value).sorted()
            guard found.sorted() == expected else {
                throw Mismatch("run \(run), step \(number): \(found.sorted()) and not \(expected) hold \(key)")
            }
        }
    }

    @Test func `a look-up among many runs apart from each other looks at few`() {
        var tree = IntervalTree()
        for number in 0..<10_000 {
            let lower = [UInt8(number >> 8), UInt8(number & 0xFF), 0]
            tree.insert(KeyRange(lower: lower, upper: KeyRange.successor(of: Array(lower.prefix(2)))), Int32(number))
        }
        var found: [Int32] = []
        tree.forEach(holding: [4, 1, 7]) { found.append($0) }
        #expect(found == [1_025])
        for number in 0..<10_000 where number != 1_025 {
            let lower = [UInt8(number >> 8), UInt8(number & 0xFF), 0]
            tree.remove(KeyRange(lower: lower, upper: KeyRange.successor(of: Array(lower.prefix(2)))), Int32(number))
        }
        #expect(tree.count == 1)
    }

    private static func holds(_ range: KeyRange, _ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(range.lower) && (range.upper.map { key.lexicographicallyPrecedes($0) } ?? true)
    }

    private static func key(_ random: inout TestRandom) -> [UInt8] {
        // The keys differ around the eight bytes that are compared first.
        let start: [UInt8] = random.oneIn(2) ? [] : [1, 2, 3, 4, 5, 6, 7]
        return start + (0..<random.below(4)).map { _ in random.pick([0, 1, 2, 0xFE, 0xFF]) }
    }

    private static func range(_ random: inout TestRandom) -> KeyRange {
        let (one, other) = (key(&random), key(&random))
        let isAscending = one.lexicographicallyPrecedes(other)
        if random.oneIn(6) { return KeyRange(lower: one, upper: nil) }
        return KeyRange(lower: isAscending ? one : other, upper: isAscending ? other : one + [0])
    }
}
