import Foundation

extension WriteTransaction {
    /// Calls `body` with each net change that this closure would commit now, in the order in which it first touched the records.
    ///
    /// - Throws: ``StoreError`` when the writes so far could not be committed; any error that `body` throws.
    package borrowing func forEachPendingChange(_ body: (RecordChange) throws -> Void) throws {
        try requireWhole()
        let net = try netChanges()
        for (number, (index, changed)) in net.enumerated() {
            let entry = changes.entries[index]
            let type = state.catalog.types[entry.type]
            let name = ChangeName(
                store: state.identity, epoch: head.epoch, sequence: head.sequence + 1, index: number,
                time: now.timeIntervalSinceReferenceDate.bitPattern)
            try body(
                RecordChange(
                    pendingChange(entry, changed, type), type: type, described: type.type, name: name))
        }
    }

    private borrowing func pendingChange(
        _ entry: NetChanges.Entry, _ changed: [Int], _ type: OpenType
    ) throws -> FeedChange {
        var change = FeedChange(kind: .insert, type: type.type.id)
        change.key = changes.bytes(entry.key).array()
        if let record = entry.after ?? entry.before { change.record = changes.bytes(record).array() }
        guard let before = entry.before else { return change }
        guard entry.after != nil else {
            change.kind = .delete
            return change
        }
        change.kind = .update
        let old = try RecordBytes(unverified: changes.bytes(before))
        change.earlierVersion = old.schemaVersion
        let table = try old.table
        for fieldIndex in changed {
            let value = try table.field(fieldIndex).array()
            change.earlier.append(EarlierValue(field: type.type.fields[fieldIndex].id, bytes: value))
        }
        return change
    }
}
