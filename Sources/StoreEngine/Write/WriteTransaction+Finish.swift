package import LMDB

/// The result of a write closure: its LMDB transaction, not yet committed, and the feed's new head.
package struct FinishedWrite: ~Copyable {
    /// The transaction, with the change set in it.
    package var raw: LMDBWriteTransaction
    /// The feed's head after the closure. Equal to the head before it if nothing changed.
    package let head: FeedHead
    /// The number of changes in the change set.
    package let changeCount: Int
    /// Whether there is anything to commit.
    package let didWrite: Bool
    /// Whether the closure makes the records shorter or fewer, or changes none.
    package let freesSpace: Bool
    /// The change set, if the caller requested it and it fits in one fragment.
    package let entry: WrittenEntry?
    /// The greatest id that the closure has assigned, by type.
    package let assigned: [UInt32: UInt64]
    /// The names of the consumers that the closure has written.
    package let writtenConsumers: Set<String>
    /// The change of the sum of all records, if the caller requested it.
    package let contentChange: ContentSum

    /// Returns the transaction alone.
    package consuming func intoRaw() -> LMDBWriteTransaction { raw }
}

extension WriteTransaction {
    /// Computes the net change set, writes it to the feed, and returns the LMDB transaction.
    package consuming func finish() throws(StoreError) -> FinishedWrite {
        if let failure { throw failure }
        do {
            let isSeeding = seededIncarnation != nil
            if !isSeeding { try requireTargets() }
            let changed = isSeeding ? [] : try netChanges()
            var next = head
            var entry: WrittenEntry?
            if let action {
                try StoreFormat.require(
                    StoreFormat.versionWithoutLog, for: "the action \(action.name)", state.databases, raw.snapshot)
            }
            if !changed.isEmpty || action != nil {
                (next, entry) = try Self.writeFeedEntry(
                    changed, of: changes, action, state, head, context, keepsEntry: keepsEntry, to: &raw)
            }
            try storeAssignedIDs()
            return FinishedWrite(
                raw: raw, head: next, changeCount: changed.count,
                didWrite: next.sequence > head.sequence || !assigned.isEmpty || didKeepHouse, freesSpace: freesSpace,
                entry: entry,
                assigned: assigned, writtenConsumers: writtenConsumers,
                contentChange: sumsContent ? changes.contentChange(state.catalog) : ContentSum())
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as CodecError {
            throw StoreError(error, at: "a change of this write")
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.other, "\(error)")
        }
    }

    /// Returns the touched records whose final state differs from the initial one, with the indexes of the changed fields for
    /// updates.
    borrowing func netChanges() throws(CodecError) -> [(entry: Int, changed: [Int])] {
        var net: [(entry: Int, changed: [Int])] = []
        net.reserveCapacity(changes.entries.count)
        let catalog = state.catalog
        let order = changes.replacementOrder { catalog.types[$0].name == catalog.types[$1].name }
        for place in changes.entries.indices {
            let index = order?[place] ?? place
            let entry = changes.entries[index]
            switch (entry.before, entry.after) {
            case (nil, nil): continue
            case (let before?, let after?):
                let old = try RecordBytes(unverified: changes.bytes(before))
                let changed = try RecordDifference.changedFieldIndexes(from: old, to: changes.bytes(after))
                if !changed.isEmpty { net.append((index, changed)) }
            default: net.append((index, []))
            }
        }
        return net
    }

    // Static, so that the changes can be read while the LMDB transaction is written to.
    private static func writeFeedEntry(
        _ net: [(entry: Int, changed: [Int])], of changes: borrowing NetChanges, _ action: RecordedAction?,
        _ state: StoreState, _ head: FeedHead, _ context: WriteContext, keepsEntry: Bool,
        to raw: inout LMDBWriteTransaction
    ) throws -> (FeedHead, WrittenEntry?) {
        var writer = FeedEntryWriter(database: state.databases.feed, head: head)
        writer.begin(context, head: head, changeCount: net.count, action: action)
        try writer.flushFull(to: &raw)
        for (index, changed) in net {
            let entry = changes.entries[index]
            let type = state.catalog.types[entry.type]
            let key = changes.bytes(entry.key)
            switch (entry.before, entry.after) {
            case (let before?, let after?):
                try writer.appendUpdate(
                    type: type, key: key, before: RecordBytes(unverified: changes.bytes(before)),
                    after: changes.bytes(after), changed: changed)
            case (nil, let after?):
                try writer.append(.insert, type: type, key: key, record: changes.bytes(after))
            case (let before?, nil):
                try writer.append(.delete, type: type, key: key, record: changes.bytes(before))
            case (nil, nil): continue
            }
            try writer.flushFull(to: &raw)
        }
        let next = try writer.finish(head, to: &raw)
        return (next, keepsEntry ? writer.written : nil)
    }

    private mutating func storeAssignedIDs() throws(LMDBError) {
        for (type, value) in assigned.sorted(by: { $0.key < $1.key }) {
            var bytes = ByteWriter(capacity: 16)
            bytes.append(value)
            var key = ByteWriter(capacity: 32)
            key.append(MetadataKey.assigned(type: type))
            try raw.put(state.databases.metadata, key: key.bytes, value: bytes.bytes)
        }
    }
}
