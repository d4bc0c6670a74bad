import LMDB

/// The newest state of each record in the feed, for comparison with the stored records.
///
/// If the feed begins with the store and has no gap and no reset, the states cover all records. Otherwise they cover only the
/// records that the feed names after the gap.
final class FeedStates {
    /// The state of a record after its newest change.
    enum State {
        /// The record exists. The digest is that of its incarnation and fields.
        case present(digest: UInt64, incarnation: UInt64, version: UInt32, sequence: UInt64)
        /// The record was deleted.
        case gone(sequence: UInt64)
        /// The feed does not name the record. If `isComplete` is true, it names all records of the type that exist.
        case unknown(isComplete: Bool)
    }

    private struct Name: Hashable {
        let type: UInt32
        let key: [UInt8]
    }

    private var states: [Name: State] = [:]
    private var isComplete = false
    private var incompleteTypes: Set<UInt32> = []

    /// Notes that the feed begins with the store.
    func beginComplete() { isComplete = true }

    /// Forgets all records, because the next changes do not continue the earlier ones.
    func forgetAll() {
        states = [:]
        isComplete = false
    }

    /// Forgets the records of a type, or of all types if `type` is the greatest number.
    func forget(type: UInt32) {
        if type == .max { return forgetAll() }
        incompleteTypes.insert(type)
        states = states.filter { $0.key.type != type }
    }

    /// Returns whether the feed names all records of a type.
    func isComplete(_ type: UInt32) -> Bool { isComplete && !incompleteTypes.contains(type) }

    /// Notes a change of a record.
    ///
    /// - Returns: why the change cannot follow the earlier changes, or nil if it can.
    func note(_ change: FeedChange, _ record: RecordBytes, sequence: UInt64) -> String? {
        let name = Name(type: change.type, key: change.key)
        let before = states[name] ?? .unknown(isComplete: isComplete(change.type))
        states[name] =
            change.kind == .delete
            ? .gone(sequence: sequence)
            : .present(
                digest: FeedStates.digest(record), incarnation: record.incarnation, version: record.schemaVersion,
                sequence: sequence)
        switch (change.kind, before) {
        case (.insert, .present(_, _, _, let earlier)):
            return "it inserts a record that has existed since change set \(earlier)"
        case (.update, .gone(let earlier)), (.delete, .gone(let earlier)):
            return "it changes a record that change set \(earlier) deleted"
        case (.update, .unknown(isComplete: true)), (.delete, .unknown(isComplete: true)):
            return "it changes a record that no change set has inserted"
        case (.update, .present(_, let incarnation, _, _)), (.delete, .present(_, let incarnation, _, _)):
            return incarnation == record.incarnation
                ? nil : "it changes the incarnation of a record from \(incarnation) to \(record.incarnation)"
        default: return nil
        }
    }

    /// Removes and returns the state of a stored record. Called once for each record.
    func take(type: UInt32, key: RawSpan) -> State {
        states.removeValue(forKey: Name(type: type, key: key.array())) ?? .unknown(isComplete: isComplete(type))
    }

    /// Reports a record that differs from its state in the feed.
    func compare(_ record: RecordBytes, with state: State, at location: VerifyLocation, _ report: VerifyReport) {
        switch state {
        case .present(let digest, _, let version, let sequence):
            guard version == record.schemaVersion, digest != FeedStates.digest(record) else { return }
            report.add(
                .contradiction, at: location,
                "the record differs from change set \(sequence), its newest change set in the feed")
        case .gone(let sequence):
            report.add(.contradiction, at: location, "the record exists, although change set \(sequence) deleted it")
        case .unknown(isComplete: true):
            report.add(
                .contradiction, at: location,
                "the record exists, although the feed contains all records of the type and not this one")
        case .unknown: return
        }
    }

    /// Reports the records that exist according to the feed, but that the walk over the stored records did not take.
    func reportLost(_ catalog: CatalogVerifier, _ feed: LMDBDatabase?, _ snapshot: LMDBSnapshot, _ report: VerifyReport)
    {
        var lost: [(name: Name, sequence: UInt64)] = []
        for (name, state) in states {
            if case .present(_, _, _, let sequence) = state { lost.append((name, sequence)) }
        }
        lost.sort { ($0.sequence, $0.name.type) < ($1.sequence, $1.name.type) }
        for (name, sequence) in lost {
            guard let type = catalog.type(name.type) else { continue }
            var text = unsafe HexText.of(name.key.span.bytes)
            if let feed, let entry = try? FeedReader.entry(sequence, in: feed, snapshot),
                let change = entry.changes.first(where: {
                    $0.type == name.type && $0.storedKey(type.type, type.keyHash) == name.key
                })
            {
                text = unsafe RecordBody.name(change.record.span.bytes, key: name.key.span.bytes, type)
            }
            report.add(
                .missing, at: .record(type: type.name, id: text, field: nil),
                "the record is missing, although change set \(sequence), its newest change set in the feed, wrote it")
        }
    }

    // The bytes begin with the checksum and the version, which are not part of the digest. The incarnation follows.
    private static func digest(_ record: RecordBytes) -> UInt64 {
        XXH64.hash(record.bytes.extracting(8..<record.bytes.byteCount))
    }
}
