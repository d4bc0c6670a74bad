import TestSupport
import Testing

@testable import StoreEngine

/// The order in which the store reads the records that refer to some records.
@Suite struct ReferrerEntryTests {
    /// Keys whose first bytes vary like those of real keys.
    private static let shapes: [(name: String, key: @Sendable (Int, inout TestRandom) -> [UInt8])] = [
        ("spread over all numbers", { _, random in bytes(random.next()) }),
        ("numbers in a row", { _, random in bytes(0x8000_0000_0000_0000 + UInt64(random.below(600))) }),
        ("in clusters", { _, random in bytes(UInt64(random.below(3)) << 60 + UInt64(random.below(40))) }),
        ("one far from all others", { number, _ in bytes(number == 5 ? .max : UInt64(number % 97)) }),
        ("at both ends", { number, _ in bytes(number.isMultiple(of: 2) ? .min : .max) }),
        ("behind one beginning", { _, random in Array("https://packages/".utf8) + bytes(random.next()) }),
        ("all the same", { _, _ in [7] }),
        ("short ones and none", { _, random in Array(bytes(random.next()).prefix(random.below(5))) }),
    ]

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    @Test(arguments: 0..<TestLength.runs(20, long: 1_000))
    func `keys of every shape come in their order, each with its place`(run: Int) throws {
        for (name, key) in Self.shapes {
            var random = TestRandom(seed: UInt64(run) &* 6_151 &+ 11)
            let count = random.pick([0, 1, 2, 16, 17, 40, 1_000])
            let keys = (0..<count).map { key($0, &random) }
            var buffer: [UInt8] = []
            var entries: [ReferrerEntry] = []
            for (place, key) in keys.enumerated() {
                entries.append(
                    ReferrerEntry(
                        word: key.leadingWord, start: buffer.count, byteCount: Int32(key.count),
                        requestedIndex: Int32(place)))
                buffer += key
            }
            unsafe entries.sort(byKeysIn: buffer.span.bytes)
            let found = entries.map { keys[Int($0.requestedIndex)] }
            guard found == keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) else {
                throw Mismatch("run \(run), \(count) keys, \(name): not in order")
            }
            guard entries.map(\.requestedIndex).sorted() == (0..<Int32(count)).map({ $0 }) else {
                throw Mismatch("run \(run), \(count) keys, \(name): not each of them once")
            }
        }
    }
}
