import LMDB

/// Verifies the trail. Each note of a record must have its mark by change set, and each mark its note. The head must count the
/// notes. No note may be of a change set that the feed retains.
final class TrailVerifier {
    private let feed: FeedHead?
    private var head: TrailHead?
    private var noteCount: UInt64 = 0

    private static let location = VerifyLocation.database(StoreDatabases.trailName)

    init(head: FeedHead?) { feed = head }

    func run(_ database: LMDBDatabase, _ snapshot: LMDBSnapshot, _ report: VerifyReport) throws {
        var cursor = try snapshot.openCursor(database)
        var isPositioned = try cursor.first()
        while isPositioned {
            report.visit()
            do {
                let problem = try check(cursor.key, cursor.value, database, snapshot)
                if let problem {
                    report.add(problem.kind, at: Self.location, "\(problem.message): \(HexText.of(cursor.key))")
                }
            } catch let error as CodecError {
                report.add(.undecodable, at: Self.location, "\(error.reason): \(HexText.of(cursor.key))")
            }
            isPositioned = try cursor.next()
        }
        checkHead(report)
    }

    private typealias Problem = (kind: VerifyFinding.Kind, message: String)

    private func check(
        _ key: RawSpan, _ value: RawSpan, _ database: LMDBDatabase, _ snapshot: LMDBSnapshot
    ) throws -> Problem? {
        switch try key.loadInteger(at: 0, as: UInt8.self) {
        case TrailKey.head[0] where key.byteCount == TrailKey.head.count:
            head = try TrailHead(from: value)
            return nil
        case TrailKey.recordMark:
            noteCount += 1
            let note = try TrailNote(from: value)
            let mark = TrailKey.mark(of: try TrailKey.record(ofNote: key), at: note.sequence)
            if unsafe try snapshot.get(database, key: mark.span.bytes) == nil {
                return (.missingEntry, "the note of a record lacks the mark of its change set \(note.sequence)")
            }
            return problem(of: note.sequence)
        case TrailKey.sequenceMark:
            let (record, sequence) = try TrailKey.mark(key)
            let found = unsafe try snapshot.get(database, key: TrailKey.note(of: record).span.bytes)
            guard let found, try TrailNote(from: found).sequence == sequence else {
                return (.strayEntry, "the mark of a change set does not lead to its note")
            }
            return nil
        case TrailKey.typeMark:
            _ = try TrailKey.changedType(key)
            let sequence = try UInt64(from: value)
            // The change set may be older than the floor.
            return sequence < head?.floor ?? 0 ? nil : problem(of: sequence)
        default: return (.unknown, "this format has no such entry")
        }
    }

    private func problem(of sequence: UInt64) -> Problem? {
        guard let head else { return (.missing, "the trail has an entry but no head") }
        if let feed, sequence >= feed.oldest {
            return (.contradiction, "it belongs to change set \(sequence), which the feed retains")
        }
        // The trail may take up a change set in several steps, so the change set after `noted` may be there in part.
        if sequence < head.floor || sequence > head.noted + 1 {
            return (
                .contradiction,
                "it belongs to change set \(sequence), but the trail has those after \(head.floor) up to \(head.noted)"
            )
        }
        return nil
    }

    private func checkHead(_ report: VerifyReport) {
        guard let head else { return }
        if head.count != noteCount {
            report.add(.wrongCount, at: Self.location, "it counts \(head.count) records, but has notes of \(noteCount)")
        }
        guard let feed, head.noted >= feed.oldest else { return }
        report.add(
            .contradiction, at: Self.location,
            "it already has notes of change set \(head.noted), but the feed retains change sets from \(feed.oldest) on")
    }
}
