import TestSupport
import Testing

@testable import StoreRuntime

@Suite struct OwnerCyclesTests {
    @Test func `a tree and a shared owner have no rings`() {
        #expect(OwnerCycles.find([1: [2, 3], 2: [4], 3: [4]], from: [1, 2, 3, 4]).isEmpty)
    }

    @Test func `a ring is told with its path, once, from whichever node one starts`() {
        let edges = [1: [2], 2: [3], 3: [4, 2]]
        for start in 1...3 {
            let rings = OwnerCycles.find(edges, from: [start, 1, 2, 3])
            #expect(rings.count == 1)
            #expect(Set(rings[0]) == [2, 3] && rings[0].first == rings[0].last && rings[0].count == 3)
        }
        #expect(OwnerCycles.find([1: [1]], from: [1]) == [[1, 1]])
    }

    @Test func `of random graphs a ring is found where there is one, and only there`() {
        for seed in UInt64(1)...500 {
            var generator = TestRandom(seed: seed)
            let edges = Dictionary(
                uniqueKeysWithValues: (0..<8).map { node in
                    (node, (0..<8).filter { _ in Int.random(in: 0..<8, using: &generator) == 0 })
                })
            let rings = OwnerCycles.find(edges, from: Array(0..<8))
            for ring in rings {
                for (from, to) in zip(ring, ring.dropFirst()) {
                    #expect(edges[from]?.contains(to) == true, "seed \(seed)")
                }
                #expect(ring.first == ring.last && Set(ring).count == ring.count - 1, "seed \(seed)")
            }
            // Searches for a node that can reach itself.
            let isCyclic = (0..<8).contains { start in
                var seen: Set<Int> = []
                var open = edges[start] ?? []
                while let node = open.popLast() {
                    if node == start { return true }
                    if seen.insert(node).inserted { open += edges[node] ?? [] }
                }
                return false
            }
            #expect(isCyclic == !rings.isEmpty, "seed \(seed)")
        }
    }

    @Test func `a chain of many owners is no depth`() {
        let edges = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ($0, [$0 + 1]) })
        #expect(OwnerCycles.find(edges, from: [0]).isEmpty)
    }
}
