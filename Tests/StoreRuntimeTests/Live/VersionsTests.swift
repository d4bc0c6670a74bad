import TestSupport
import Testing

@testable import StoreRuntime

/// The values of an object at several positions.
@Suite struct VersionsTests {
    @Test func `a value stays as long as a reader can ask for it`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = TestRandom(seed: seed)
        for _ in 0..<TestLength.runs(200, long: 20_000) {
            var versions = Versions(0, at: 1)
            var pushed = [(sequence: UInt64(1), value: 0)]
            var floor: UInt64 = 1
            for value in 1...20 {
                if random.chance(60) {
                    let sequence = pushed[pushed.count - 1].sequence + UInt64(1 + random.below(3))
                    versions.push(value, at: sequence)
                    pushed.append((sequence, value))
                } else {
                    floor += UInt64(random.below(3))
                    versions.prune(below: floor)
                    guard versions.hasOlder == pushed.contains(where: { $0.sequence > floor }) else {
                        throw Mismatch("seed \(seed): floor \(floor) of \(pushed)")
                    }
                }
                for sequence in floor...floor + 8 {
                    let expected = pushed.last { $0.sequence <= sequence }?.value
                    guard versions.value(at: sequence) == expected else {
                        throw Mismatch("seed \(seed): at \(sequence), floor \(floor) of \(pushed)")
                    }
                }
            }
        }
    }
}
