import Foundation

/// Verifies the changes of whole change sets against the catalog and against earlier changes.
final class ChangeVerifier {
    /// The greatest assigned id in the changes of each type, by type number.
    private(set) var greatestIDs: [UInt32: UInt64] = [:]
    private let catalog: CatalogVerifier
    private let states: FeedStates
    private var epoch: UInt64?
    private var endedEpochs: Set<UInt64> = []
    /// The newest description of each type in the feed.
    private var descriptions: [UInt32: RecordType] = [:]

    init(_ catalog: CatalogVerifier, _ states: FeedStates) {
        self.catalog = catalog
        self.states = states
    }

    func check(_ entry: FeedEntry, _ report: VerifyReport) {
        let location = VerifyLocation.feed(sequence: entry.sequence, fragment: nil, change: nil)
        if let epoch, epoch != entry.epoch { endedEpochs.insert(epoch) }
        epoch = entry.epoch
        if endedEpochs.contains(entry.epoch) {
            report.add(
                .contradiction, at: location,
                "it belongs to the epoch \(String(entry.epoch, radix: 16)), which had already ended")
        }
        if entry.changes.isEmpty, entry.action == nil {
            report.add(.contradiction, at: location, "it has neither changes nor an action")
        }
        for (number, change) in entry.changes.enumerated() {
            let location = VerifyLocation.feed(sequence: entry.sequence, fragment: nil, change: number)
            do {
                try check(change, sequence: entry.sequence, location, report)
            } catch {
                states.forget(type: change.type)
                report.add(.undecodable, at: location, error.reason)
            }
        }
    }

    // The first writer of a copied store starts an epoch before it writes a change set. The epoch of the head may therefore be
    // newer than that of any change set.
    func checkEpoch(ofHead head: FeedHead, _ report: VerifyReport) {
        guard head.epoch != epoch, endedEpochs.contains(head.epoch) else { return }
        report.add(
            .contradiction, at: .metadata("head"),
            "the head has the epoch \(String(head.epoch, radix: 16)), which had already ended")
    }

    /// Reports types whose entry in the catalog differs from their description in the feed.
    func checkDescriptions(_ report: VerifyReport) {
        for (number, type) in catalog.descriptions.sorted(by: { $0.key < $1.key }) {
            let described = descriptions[number]
            if described == nil, !states.isComplete(number) { continue }
            if described == type { continue }
            report.add(
                .contradiction, at: .catalog(type: number),
                described == nil
                    ? "the feed contains all changes, but not the record type \(type.name)"
                    : "the description of \(type.name) is not the newest one in the feed")
        }
    }

    private func check(
        _ change: FeedChange, sequence: UInt64, _ location: VerifyLocation, _ report: VerifyReport
    ) throws(CodecError) {
        switch change.kind {
        case .reset: return states.forget(type: change.type)
        case .schema: return try checkSchema(change)
        case .insert, .update, .delete: break
        case .replace: throw CodecError("a feed cannot contain this kind of change")
        }
        guard catalog.typeNumbers.contains(change.type) else {
            return report.add(
                .unknown, at: location, "it names the record type \(change.type), which the catalog does not know")
        }
        guard let type = catalog.type(change.type) else { return states.forget(type: change.type) }
        let bytes = unsafe change.record.span.bytes
        let record = try RecordBytes(bytes)
        var problem: String?
        try RecordBody.checkFields(record, of: type.type) { problem = problem ?? "field \($0): \($1)" }
        if let problem { throw CodecError(problem) }
        guard try RecordBody.key(of: record, type, .publicSeeds).map({ $0 == change.key }) ?? true else {
            throw CodecError("its record key does not match the record's id")
        }
        let isNew = change.kind == .insert
        if isNew ? record.incarnation != sequence : record.incarnation >= sequence {
            report.add(.contradiction, at: location, "the record has the wrong incarnation \(record.incarnation)")
        }
        greatestIDs[change.type] = max(greatestIDs[change.type] ?? 0, RecordBody.assignedID(of: record, type))
        if change.kind == .update { try checkEarlier(change, record, type) }
        var change = change
        change.key = change.storedKey(type.type, type.keyHash)
        if let problem = states.note(change, record, sequence: sequence) {
            report.add(.contradiction, at: location, problem)
        }
    }

    private func checkSchema(_ change: FeedChange) throws(CodecError) {
        let type: RecordType
        do {
            type = try JSONDecoder().decode(RecordType.self, from: Data(change.record))
        } catch {
            throw CodecError("the description of the record type \(change.type) cannot be decoded: \(error)")
        }
        guard type.id == change.type else { throw CodecError("it describes the record type \(type.id)") }
        descriptions[change.type] = type
    }

    private func checkEarlier(_ change: FeedChange, _ record: RecordBytes, _ type: OpenType) throws(CodecError) {
        let fields = try type.type.fields(ofVersion: change.earlierVersion)
        let newFields = try type.type.fields(ofVersion: record.schemaVersion)
        guard !change.earlier.isEmpty else { throw CodecError("an update names no changed field") }
        let table = try record.table
        var seen: Set<UInt32> = []
        for earlier in change.earlier {
            guard let location = newFields.firstIndex(where: { $0.id == earlier.field }),
                seen.insert(earlier.field).inserted
            else {
                throw CodecError(
                    "it names the field \(earlier.field), which the record lacks or which is named twice")
            }
            let field = fields.first { $0.id == earlier.field }
            guard let field, let bytes = earlier.bytes else {
                if field == nil, earlier.bytes == nil { continue }
                throw CodecError("it does not match version \(change.earlierVersion) of field \(earlier.field)")
            }
            if let problem = FieldVerifier.problem(bytes, field.type) {
                throw CodecError("the earlier value of \(field.name): \(problem)")
            }
            if unsafe try table.field(location).isEqual(to: bytes.span.bytes) {
                throw CodecError("the earlier value of \(field.name) equals the later one")
            }
        }
    }
}
