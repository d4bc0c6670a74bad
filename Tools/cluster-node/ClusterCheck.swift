import Foundation
import ModelStore

/// Compares the stores of all nodes after the rounds with the calls in the nodes' output. No search for an order is needed, as
/// each write knows its number.
struct ClusterCheck {
    /// The contradictions, each as a sentence.
    private(set) var findings: [String] = []
    private(set) var writeCount = 0
    private(set) var readCount = 0

    /// - Parameters:
    ///   - stores: the directories of the nodes' stores. No program has them open.
    ///   - outputs: the files with the nodes' output.
    init(stores: [String], outputs: [String]) throws {
        let steps = try equalSteps(stores)
        let numbers = steps.map(\.number)
        if !numbers.elementsEqual(1..<(numbers.count + 1)) {
            findings.append("the numbers of the steps have gaps or repetitions")
        }
        let found = Set(steps.map(\.token))
        var writes: [Journal.Write] = []
        var reads: [Journal.Read] = []
        for output in outputs {
            for line in try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n") {
                switch Journal(line) {
                case .written(let write)?: writes.append(write)
                case .read(let read)?: reads.append(read)
                case .refused(let token)? where found.contains(token):
                    findings.append("the refused write \(token) is there")
                case .refused?, .unknown?, nil: break
                }
            }
        }
        let numbersByToken = Dictionary(uniqueKeysWithValues: steps.map { ($0.token, $0.number) })
        for write in writes where numbersByToken[write.token] != write.number {
            findings.append("the returned write \(write.token) is lost, or has another number")
        }
        (writeCount, readCount) = (writes.count, reads.count)
        // A write comes after those that had returned; a read may see just these.
        checkOrder(of: writes.map { ($0.span, $0.number - 1, "the write \($0.token)") }, after: writes)
        checkOrder(of: reads.map { ($0.span, $0.count, "a read") }, after: writes)
    }

    /// Checks that each call saw the writes that had returned before it began.
    private mutating func checkOrder(
        of calls: [(span: Journal.Span, seen: Int, name: String)], after writes: [Journal.Write]
    ) {
        let ends = writes.sorted { $0.span.ended < $1.span.ended }
        var (next, newest) = (0, 0)
        for call in calls.sorted(by: { $0.span.began < $1.span.began }) {
            while next < ends.count, ends[next].span.ended < call.span.began {
                newest = max(newest, ends[next].number)
                next += 1
            }
            guard call.seen < newest else { continue }
            findings.append("\(call.name) saw \(call.seen) steps, but step \(newest) had returned before it")
        }
    }

    /// Returns the steps by number, and checks that all nodes have them and that the consumer has counted them once.
    private mutating func equalSteps(_ paths: [String]) throws -> [Step] {
        var options = StoreOptions()
        options.isReadOnly = true
        var all: [(steps: [Step], counters: [Counter])] = []
        var positions: Set<Position> = []
        for path in paths {
            let store = try Store(at: path, records: Step.self, Counter.self, options: options)
            defer { store.close() }
            all.append(
                try store.read { tx in
                    (
                        try tx.fetch(Step.order { $0.number.ascending }),
                        try tx.fetch(Counter.order { $0.name.ascending })
                    )
                })
            positions.insert(try store.position)
            var problems: [String] = []
            _ = try store.verify { problems.append("\($0)") }
            findings += problems.map { "\(path): \($0)" }
        }
        if positions.count > 1 { findings.append("the nodes have different feeds") }
        for other in all.dropFirst() {
            if other.steps.map(\.token) != all[0].steps.map(\.token) { findings.append("the nodes have other steps") }
            if other.counters.map(\.count) != all[0].counters.map(\.count) {
                findings.append("the nodes have other counters")
            }
        }
        let steps = all[0].steps
        for name in [Counter.steps, Counter.consumed] {
            let count = all[0].counters.first { $0.name == name }?.count ?? 0
            if count != steps.count { findings.append("the counter \(name) is \(count), not \(steps.count)") }
        }
        return steps
    }
}
