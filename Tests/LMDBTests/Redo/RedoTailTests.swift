import TestSupport
import Testing

@testable import LMDB

/// Where entries go in the log, against a model that knows every byte that is still needed.
@Suite struct RedoTailTests {
    private struct Live {
        let range: Range<Int>
        let tail: RedoTail
    }

    @Test func `no entry overwrites one that the last checkpoint needs, and the log fills its file before it is full`()
    {
        var (placed, full, wrapped) = (0, 0, 0)
        for seed in TestLength.seeds(2_000, long: 50_000) {
            var random = TestRandom(seed: seed)
            let limit = Int.random(in: 20...60, using: &random) * 64
            var capacity = 0
            var start = RedoTail(chain: 0, transaction: 0)
            var tail = start
            // The entries after the checkpoint.
            var live: [Live] = []
            for _ in 0..<200 {
                if !live.isEmpty, Int.random(in: 0..<5, using: &random) == 0 {
                    // A checkpoint of any of the last commits.
                    let kept = Int.random(in: 0..<live.count, using: &random)
                    start = live[kept].tail
                    live.removeSubrange(...kept)
                    continue
                }
                let byteCount = Int.random(in: 1...6, using: &random) * 64
                guard let offset = tail.place(of: byteCount, after: start, capacity: capacity, limit: limit) else {
                    full += 1
                    let used = live.reduce(0) { $0 + $1.range.count }
                    // Both ends of the file may have a rest that is too short.
                    #expect(used + 2 * byteCount >= limit - 8 * 64, "seed \(seed): \(used) of \(limit)")
                    continue
                }
                let range = offset..<offset + byteCount
                #expect(range.upperBound <= limit)
                #expect(!live.contains { $0.range.overlaps(range) }, "seed \(seed)")
                if offset == RedoLogFile.firstOffset, tail.offset > offset { wrapped += 1 }
                placed += 1
                capacity = max(capacity, range.upperBound)
                tail.offset = range.upperBound
                tail.address += UInt64(byteCount)
                live.append(Live(range: range, tail: tail))
            }
        }
        // One repeated seed meets only some of these cases.
        guard TestLength.repeatedSeed == nil else { return }
        #expect(
            placed > 100_000 && full > 1_000 && wrapped > 10_000, "\(placed) placed, \(full) full, \(wrapped) wrapped")
    }
}
