import LMDB
import StoreEngine

/// Reads the feed from its oldest change set to its head, and compares it with the writes.
///
/// Each lane must count up by one from change set to change set. Resets are allowed only where a copy begins. Every acknowledged
/// change set must be present and unchanged. `StoreVerifier` checks that the feed forms a chain and matches the records.
struct FeedComparison: ~Escapable {
    private let reading: ReadContext
    private let head: FeedHead
    private let expected: [UInt64: UInt64]

    /// - Parameter expected: Hashes of change sets by sequence number; those before the oldest are ignored.
    @_lifetime(copy reading)
    init(_ reading: ReadContext, head: FeedHead, expected: [UInt64: UInt64]) {
        self.reading = reading
        self.head = head
        self.expected = expected
    }

    func findings(_ lanes: [Lane]) throws -> [String] {
        var findings: [String] = []
        var counts: [String: Int64] = [:]
        let catalog = reading.catalog
        var epoch: UInt64?
        for sequence in stride(from: head.oldest, through: head.sequence, by: 1) {
            guard let entry = try reading.feedEntry(sequence) else {
                findings.append("change set \(sequence) is missing")
                continue
            }
            if let wanted = expected[sequence], wanted != entry.hash {
                findings.append("change set \(sequence) is not the one that was acknowledged")
            }
            for change in entry.changes {
                // A reset is allowed in a copy that another program made, because that program may have written to it.
                if change.kind == .reset, entry.epoch == epoch { findings.append("change set \(sequence) is a reset") }
                if change.kind == .schema || change.kind == .reset { continue }
                if let place = catalog.typeIndex(ofID: change.type), catalog.types[place].name == "Lane" {
                    findings += try Self.count(change, of: catalog.types[place], in: sequence, &counts)
                }
            }
            epoch = entry.epoch
        }
        if let newest = expected.keys.max(), newest > head.sequence {
            findings.append("change set \(newest) was acknowledged, the feed ends at \(head.sequence)")
        }
        for lane in lanes where counts[lane.name].map({ $0 != lane.count }) ?? (head.oldest == 1) {
            findings.append("lane \(lane.name) is at \(lane.count), in the feed at \(counts[lane.name] ?? 0)")
        }
        return findings
    }

    private static func count(
        _ change: FeedChange, of type: OpenType, in sequence: UInt64, _ counts: inout [String: Int64]
    ) throws -> [String] {
        let record = unsafe try DynamicRecord(unverified: change.record.span.bytes, of: type)
        guard case .string(let name) = record.values[0], case .int(let count) = record.values[1] else {
            return ["change set \(sequence) has a lane that is none"]
        }
        defer { counts[name] = Int64(count) }
        guard let before = counts[name], Int64(count) != before + 1 else { return [] }
        return ["change set \(sequence) takes lane \(name) from \(before) to \(count)"]
    }
}
