/// Combines change sets into one step: the net change of each record that is needed.
///
/// ``ChangeSquash`` does the same for readers of the feed. Here the records are needed in the form of the newest version, and the
/// records before the changes only for some types.
package struct StepNet {
    /// The records of a type's changes that are needed.
    package enum Interest {
        case nothing
        /// The records after the changes.
        case after
        /// The records before and after the changes.
        case both
    }

    private struct Name: Hashable {
        let type: UInt32
        let key: [UInt8]
    }

    private struct Entry {
        let type: OpenType
        let needsBefore: Bool
        let first: FeedChange
        /// The newest change of the record; nil where it is the first one.
        var last: FeedChange?
        /// The later change that deleted the record that was there before the step; nil where there is none.
        var end: FeedChange?

        mutating func note(_ change: FeedChange) {
            last = change
            if end == nil, first.kind != .delete, change.kind == .delete { end = change }
        }
    }

    private let catalog: Catalog
    private let interest: (UInt32) -> Interest
    private var entries: [Entry] = []
    private var entryIndexes: [Name: Int] = [:]
    /// The sequence number of the last change set. `isOfOne` is true while all changes are from one change set, which contains
    /// each record only once.
    private var sequence: UInt64?
    private var isOfOne = true

    /// The types whose records changed in a way that the feed does not describe.
    package private(set) var resetTypes: Set<UInt32> = []
    /// Whether that holds for all types. This is also true after a record type was changed.
    package private(set) var resetsAll = false

    /// The number of records.
    package var count: Int { entries.count }

    /// - Parameters:
    ///   - interest: returns which records of a type's changes are needed, for the type's number.
    package init(_ catalog: Catalog, interest: @escaping (UInt32) -> Interest) {
        self.catalog = catalog
        self.interest = interest
    }

    /// Adds the next part of the feed.
    package mutating func add(_ part: FeedPart) {
        if let sequence, sequence != part.sequence, isOfOne {
            isOfOne = false
            for (index, entry) in entries.enumerated() {
                entryIndexes[Name(type: entry.type.type.id, key: entry.first.key)] = index
            }
        }
        sequence = part.sequence
        for change in part.changes { add(change) }
    }

    private mutating func add(_ change: FeedChange) {
        guard change.isOfRecord else {
            if change.kind == .reset, change.type != .max {
                resetTypes.insert(change.type)
            } else {
                resetsAll = true
            }
            return
        }
        let interest = interest(change.type)
        if interest == .nothing { return }
        guard let typeIndex = catalog.typeIndex(ofID: change.type) else { return }
        if !isOfOne {
            let name = Name(type: change.type, key: change.key)
            if let entryIndex = entryIndexes[name] {
                entries[entryIndex].note(change)
                return
            }
            entryIndexes[name] = entries.count
        }
        entries.append(Entry(type: catalog.types[typeIndex], needsBefore: interest == .both, first: change))
    }

    /// Discards all changes: everything has to be read again.
    package mutating func reset() {
        resetsAll = true
        entries = []
        entryIndexes = [:]
    }

    /// Returns the net changes, in the order in which the records first changed.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    package func finish() throws(StoreError) -> [StepChange] {
        var changes: [StepChange] = []
        changes.reserveCapacity(entries.count)
        for entry in entries {
            do {
                if let change = try StepNet.net(entry) { changes.append(change) }
            } catch {
                throw StoreError(error, at: "a change of \(entry.type.name) in the feed")
            }
        }
        return changes
    }

    private static func net(_ entry: Entry) throws(CodecError) -> StepChange? {
        let type = entry.type
        let last = entry.last ?? entry.first
        let after = try last.after.map { (bytes) throws(CodecError) in try newest(bytes, type) }
        guard entry.last != nil else {
            let before = entry.needsBefore ? try entry.first.before(type.type) : nil
            let old = try before.map { (bytes) throws(CodecError) in try newest(bytes, type) }
            var changed = FieldIndexSet.all
            if entry.first.kind == .update {
                changed = FieldIndexSet(entry.first.earlier.compactMap { type.type.fieldIndex(ofID: $0.field) })
                // All changed fields have been removed from the type.
                if changed.isEmpty { return nil }
            }
            return StepChange(
                type: type, key: entry.first.key, kind: entry.first.kind, before: old, after: after,
                changedFieldIndexes: changed)
        }
        let before = try entry.first.before(type.type).map { (bytes) throws(CodecError) in try newest(bytes, type) }
        let ended = try entry.end?.before(type.type).map { (bytes) throws(CodecError) in try newest(bytes, type) }
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, _?): return StepChange(type: type, key: last.key, kind: .insert, before: nil, after: after)
        case (_?, nil):
            return StepChange(type: type, key: last.key, kind: .delete, before: before, after: nil, last: ended)
        case (let before?, let after?):
            let (oldBytes, newBytes) = (before.bytes, after.bytes)
            let old = unsafe try RecordBytes(unverified: oldBytes.span.bytes)
            let new = unsafe try RecordBytes(unverified: newBytes.span.bytes)
            guard old.incarnation == new.incarnation else {
                return StepChange(type: type, key: last.key, kind: .replace, before: before, after: after, last: ended)
            }
            let changed = FieldIndexSet(try RecordDifference.changedFieldIndexes(from: old, to: new.bytes))
            if changed.isEmpty { return nil }
            return StepChange(
                type: type, key: last.key, kind: .update, before: before, after: after, changedFieldIndexes: changed)
        }
    }

    /// Returns a record in the form of the newest version.
    private static func newest(_ bytes: [UInt8], _ type: OpenType) throws(CodecError) -> RecordContent {
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        if try type.upgrade(fromVersion: record.schemaVersion) == nil { return RecordContent(bytes) }
        return RecordContent(try type.withNewest(record) { $0.bytes.array() })
    }
}
