import LMDB

/// Verifies the feed. The change sets must follow each other without a gap, and the bytes of each must match its hash. The head
/// must be that of the newest change set.
///
/// The walk skips fragments before the oldest retained change set, which retention has yet to remove.
final class FeedVerifier {
    /// The state of each record in the feed.
    let states = FeedStates()
    private let head: FeedHead?
    private let changes: ChangeVerifier
    /// The change set that the walk has reached.
    private var assembly: FeedAssembly?
    /// The next sequence number; nil where it is unknown.
    private var expected: UInt64?
    /// The number and hash of the previous change set; nil where that is not whole.
    private var previous: (sequence: UInt64, hash: UInt64)?
    private var newest: (sequence: UInt64, hash: UInt64?)?

    init(head: FeedHead?, catalog: CatalogVerifier) {
        self.head = head
        changes = ChangeVerifier(catalog, states)
        expected = head?.oldest
        if head == nil || head?.oldest == 1 { states.beginComplete() }
        if expected == 1 { previous = (0, 0) }
    }

    /// Returns the greatest assigned id of a type in the feed.
    func greatestID(of type: OpenType) -> UInt64 { changes.greatestIDs[type.type.id] ?? 0 }

    func run(_ database: LMDBDatabase, _ snapshot: LMDBSnapshot, _ report: VerifyReport) throws {
        var cursor = try snapshot.openCursor(database)
        var isPositioned = try cursor.first()
        while isPositioned {
            report.visit()
            check(key: cursor.key, value: cursor.value, report)
            isPositioned = try cursor.next()
        }
        endChangeSet(report)
        checkHead(report)
        changes.checkDescriptions(report)
    }

    private func check(key: RawSpan, value: RawSpan, _ report: VerifyReport) {
        guard key.byteCount == 12, let sequence = try? key.loadInteger(at: 0, as: UInt64.self).byteSwapped,
            let number = try? key.loadInteger(at: 8, as: UInt32.self).byteSwapped
        else {
            return report.add(
                .undecodable, at: .feed(sequence: nil, fragment: nil, change: nil),
                "a fragment has a key of \(key.byteCount) bytes: \(HexText.of(key))")
        }
        if let head, sequence < head.oldest { return }
        if assembly?.sequence != sequence {
            endChangeSet(report)
            begin(sequence, report)
        }
        do {
            let fragment = try FeedFragment(key: key, value: value)
            let problem = assembly?.add(fragment)
            if let problem {
                report.add(problem.kind, at: .feed(sequence: sequence, fragment: number, change: nil), problem.message)
            }
        } catch {
            assembly?.isDamaged = true
            report.add(.undecodable, at: .feed(sequence: sequence, fragment: number, change: nil), error.reason)
        }
    }

    private func begin(_ sequence: UInt64, _ report: VerifyReport) {
        if let expected, sequence != expected {
            report.add(
                .missing, at: .feed(sequence: expected, fragment: nil, change: nil),
                sequence == expected + 1
                    ? "the change set is missing" : "the change sets up to \(sequence - 1) are missing")
            states.forgetAll()
            previous = nil
        }
        if expected == nil, sequence != 1 { states.forgetAll() }
        // The greatest possible number has no successor and wraps around.
        expected = sequence &+ 1
        assembly = FeedAssembly(sequence: sequence)
        report.summary.changeSetCount += 1
    }

    private func endChangeSet(_ report: VerifyReport) {
        guard let ended = assembly else { return }
        assembly = nil
        newest = (ended.sequence, ended.hash)
        if !ended.isDamaged, !ended.isEnded {
            report.add(
                .missing, at: .feed(sequence: ended.sequence, fragment: ended.nextFragment, change: nil),
                "the last fragment of the change set is missing")
        }
        guard !ended.isDamaged, ended.isEnded, let hash = ended.hash else {
            states.forgetAll()
            previous = nil
            return
        }
        let location = VerifyLocation.feed(sequence: ended.sequence, fragment: nil, change: nil)
        do {
            let entry = unsafe try FeedEntry(sequence: ended.sequence, hash: hash, stream: ended.stream.span.bytes)
            if let previous, previous.hash != entry.previousHash {
                report.add(
                    .brokenChain, at: location,
                    "it continues a change set with the hash \(String(entry.previousHash, radix: 16)), "
                        + "but \(previous.sequence) has \(String(previous.hash, radix: 16))")
            }
            previous = (ended.sequence, hash)
            report.summary.changeCount += entry.changes.count
            changes.check(entry, report)
        } catch {
            report.add(.undecodable, at: location, error.reason)
            states.forgetAll()
            previous = (ended.sequence, hash)
        }
    }

    private func checkHead(_ report: VerifyReport) {
        guard let head else { return }
        let location = VerifyLocation.metadata("head")
        guard let newest else {
            if head.oldest <= head.sequence {
                report.add(
                    .missing, at: .feed(sequence: head.oldest, fragment: nil, change: nil),
                    "the change sets up to \(head.sequence) are missing")
                states.forgetAll()
            }
            return
        }
        guard newest.sequence == head.sequence else {
            report.add(
                .contradiction, at: location,
                "the newest change set is \(head.sequence) in the head and \(newest.sequence) in the feed")
            if newest.sequence < head.sequence { states.forgetAll() }
            return
        }
        if let hash = newest.hash, hash != head.hash, previous != nil {
            report.add(
                .contradiction, at: location,
                "the head has the hash \(String(head.hash, radix: 16)), but its change set \(head.sequence) has "
                    + "\(String(hash, radix: 16))")
        }
        changes.checkEpoch(ofHead: head, report)
    }
}
