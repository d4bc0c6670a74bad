import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// One store under examination.
struct StoreExamination {
    /// The findings of an examination.
    struct Report {
        var summary = ""
        var findings: [String] = []
    }

    private let store: Store
    /// The lane that the examination itself writes.
    private static let probe = "probe"

    init(at path: String) throws {
        var options = GivenOptions.store
        options.createsIfMissing = false
        store = try Store(at: path, records: [Entry.self, Lane.self], options: options)
    }

    func close() { store.close() }

    /// Checks everything in one snapshot.
    ///
    /// - Parameter expected: Hashes of change sets by sequence number.
    func look(expecting expected: [UInt64: UInt64]) throws -> Report {
        try store.read { transaction in
            var report = Report()
            var lanes: [Lane] = []
            try transaction.forEach(Lane.self) { lane in
                lanes.append(lane)
                return true
            }
            let reading = transaction._reading
            var found: [String] = []
            _ = try StoreVerifier.verify(reading.snapshot) { found.append("\($0)") }
            report.findings = found
            let head = try reading.feedHead()
            report.summary = "\(head.epoch) \(head.sequence) \(head.hash)"
            for lane in lanes where lane.name != Self.probe { report.summary += " \(lane.name)=\(lane.count)" }
            report.findings += try Self.recordFindings(lanes, transaction)
            report.findings += try FeedComparison(reading, head: head, expected: expected).findings(lanes)
            return report
        }
    }

    /// Writes a little, to detect a store that can be read but not written.
    func write() throws {
        for _ in 0..<2 {
            try store.write { transaction in
                let count = try transaction.get(Lane.self, id: Self.probe)?.count ?? 0
                for action in LaneScript(lane: Self.probe).actions(count + 1) {
                    switch action {
                    case .insert(let entry): try transaction.insert(entry)
                    case .replace(let entry): try transaction.update(entry)
                    case .delete(let id): try transaction.delete(Entry.self, id: id)
                    }
                }
                try transaction.upsert(Lane(name: Self.probe, count: count + 1))
            }
        }
    }

    /// Compares the entries with the lanes' scripts, given the number of writes of each lane.
    private static func recordFindings(_ lanes: [Lane], _ transaction: borrowing ReadTransaction) throws -> [String] {
        var expected: [String: Entry] = [:]
        for lane in lanes {
            expected.merge(LaneScript(lane: lane.name).entries(after: lane.count)) { first, _ in first }
        }
        var findings: [String] = []
        try transaction.forEach(Entry.self) { entry in
            let wanted = expected.removeValue(forKey: entry.id)
            if wanted == nil { findings.append("the record \(entry.id) should not be there") }
            if let wanted, wanted != entry { findings.append("the record \(entry.id) is not as it was written") }
            return true
        }
        for id in expected.keys.sorted() { findings.append("the record \(id) is missing") }
        return findings
    }
}
