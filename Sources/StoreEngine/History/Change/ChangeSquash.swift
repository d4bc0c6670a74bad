/// Combines change sets into one that contains the net change of each record.
///
/// If one change set deleted a record and a later one inserted a record with its id, the net change is a replacement. The new
/// record is another incarnation.
package struct ChangeSquash {
    private struct Name: Hashable {
        let type: UInt32
        let key: [UInt8]
    }

    private enum Entry {
        /// A record's states before the first and after the last change.
        case record(before: [UInt8]?, after: [UInt8]?, newest: RecordChange)
        /// A change of a type, or a reset.
        case other(RecordChange)
        /// A change of a type that a later reset covers.
        case forgotten
    }

    private var entries: [Entry] = []
    private var entryIndexes: [Name: Int] = [:]
    private var first: ChangeSet
    private var last: ChangeSet
    /// Whether no change is missing between the first and the last one.
    private var isWhole: Bool

    /// The number of entries that are held in memory.
    package var count: Int { entries.count }

    /// Begins with the first change set.
    package init(_ first: ChangeSet) throws(StoreError) {
        self.first = first
        last = first
        isWhole = first.isWhole
        try addChanges(of: first)
    }

    /// Adds the next change set, or the next part of a large one.
    package mutating func add(_ next: ChangeSet) throws(StoreError) {
        if !next.isWhole || next.firstSequence != last.sequence + 1 { isWhole = false }
        last = next
        try addChanges(of: next)
    }

    private mutating func addChanges(of next: ChangeSet) throws(StoreError) {
        for change in next.changes {
            do {
                try add(change)
            } catch {
                throw StoreError(error, at: "the change \(change.name) of \(change.typeName)")
            }
        }
    }

    private mutating func add(_ change: RecordChange) throws(CodecError) {
        guard change.change.isOfRecord, let type = change.type else {
            if change.kind == .reset { forget(change.change.type) }
            entries.append(.other(change))
            return
        }
        let name = Name(type: change.change.type, key: change.change.key)
        if let entryIndex = entryIndexes[name], case .record(let before, _, _) = entries[entryIndex] {
            entries[entryIndex] = .record(before: before, after: change.change.after, newest: change)
        } else {
            entryIndexes[name] = entries.count
            entries.append(
                .record(before: try change.change.before(type.type), after: change.change.after, newest: change))
        }
    }

    // Drops the changes before a reset: its reader reads the records again.
    private mutating func forget(_ type: UInt32) {
        for (name, entryIndex) in entryIndexes where type == .max || name.type == type {
            entries[entryIndex] = .forgotten
            entryIndexes[name] = nil
        }
    }

    /// Returns the net changes, at the position of the last change set.
    package func finish() throws(StoreError) -> ChangeSet {
        var changes: [RecordChange] = []
        for entry in entries {
            switch entry {
            case .forgotten: continue
            case .other(let change): changes.append(change)
            case .record(let before, let after, let newest):
                do {
                    if let net = try ChangeSquash.net(before, after, newest) { changes.append(net) }
                } catch {
                    throw StoreError(error, at: "the change \(newest.name) of \(newest.typeName)")
                }
            }
        }
        var set = ChangeSet(
            position: last.position, after: first.positionBefore, firstSequence: first.firstSequence, time: last.time,
            origin: last.origin, changes: changes, isWhole: isWhole, last.state)
        set.unfitRecords = last.unfitRecords
        return set
    }

    private static func net(
        _ before: [UInt8]?, _ after: [UInt8]?, _ newest: RecordChange
    ) throws(CodecError) -> RecordChange? {
        guard let type = newest.type else { return nil }
        var change = newest.change
        change.earlier = []
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, let after?): (change.kind, change.record) = (.insert, after)
        case (let before?, nil): (change.kind, change.record) = (.delete, before)
        case (let before?, let after?):
            change.record = after
            change.replaced = before
            let old = unsafe try RecordBytes(unverified: before.span.bytes)
            let new = unsafe try RecordBytes(unverified: after.span.bytes)
            change.kind = old.incarnation == new.incarnation ? .update : .replace
            if change.kind == .update {
                change.earlier = try ChangeSquash.earlier(old, new, type)
                if change.earlier.isEmpty { return nil }
            }
        }
        return RecordChange(change, type: type, described: newest.described, name: newest.name)
    }

    /// Returns the earlier values of the fields that differ between two states of a record.
    ///
    /// If a state does not fit the newest version, the fields whose bytes differ in the versions of the states are returned,
    /// without values.
    static func earlier(
        _ old: RecordBytes, _ new: RecordBytes, _ type: OpenType
    ) throws(CodecError) -> [EarlierValue] {
        do throws(CodecError) {
            return try newestEarlier(old, new, type)
        } catch {
            if try type.misfit(old) == nil, try type.misfit(new) == nil { throw error }
            return try writtenEarlier(old, new, type.type)
        }
    }

    private static func newestEarlier(
        _ old: RecordBytes, _ new: RecordBytes, _ type: OpenType
    ) throws(CodecError) -> [EarlierValue] {
        try type.withNewest(old) { (old) throws(CodecError) in
            try type.withNewest(new) { (new) throws(CodecError) in
                let table = try old.table
                var earlier: [EarlierValue] = []
                for fieldIndex in try RecordDifference.changedFieldIndexes(from: old, to: new.bytes) {
                    earlier.append(
                        EarlierValue(field: type.type.fields[fieldIndex].id, bytes: try table.field(fieldIndex).array())
                    )
                }
                return earlier
            }
        }
    }

    private static func writtenEarlier(
        _ old: RecordBytes, _ new: RecordBytes, _ type: RecordType
    ) throws(CodecError) -> [EarlierValue] {
        let oldFields = try type.fields(ofVersion: old.schemaVersion)
        let newFields = try type.fields(ofVersion: new.schemaVersion)
        let (oldTable, newTable) = (try old.table, try new.table)
        var earlier: [EarlierValue] = []
        for field in type.fields {
            let oldIndex = oldFields.firstIndex { $0.id == field.id }
            let newIndex = newFields.firstIndex { $0.id == field.id }
            if let oldIndex, let newIndex, oldFields[oldIndex].type == newFields[newIndex].type,
                try oldTable.field(oldIndex).isEqual(to: newTable.field(newIndex))
            {
                continue
            }
            if oldIndex == nil, newIndex == nil { continue }
            earlier.append(EarlierValue(field: field.id, bytes: nil))
        }
        return earlier
    }
}
