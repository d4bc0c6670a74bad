/// The net change of one record in a step.
package struct StepChange: Sendable {
    /// The record's type.
    package let type: OpenType
    /// The record's key.
    package let key: [UInt8]
    /// Insert, update, delete, or replace for a record that was deleted and inserted again: another one with the same id.
    package let kind: ChangeKind
    /// The record before the step; nil where there was none, and for types of which only what came after is of interest.
    package let before: RecordContent?
    /// The record after the step; nil where there is none.
    package let after: RecordContent?
    /// The fields that an update changed, indexed or not; all of them for every other kind of change.
    package let changedFieldIndexes: FieldIndexSet

    /// Whether the record was deleted and inserted again.
    package var isReplaced: Bool { kind == .replace }

    /// - Parameters:
    ///   - type: the record's type, from the catalog of the step's snapshot.
    ///   - before: the record before the step, in the form of the newest version.
    ///   - after: the record after the step, in the form of the newest version.
    ///   - changedFieldIndexes: what an update changed.
    package init(
        type: OpenType, key: [UInt8], kind: ChangeKind, before: RecordContent?, after: RecordContent?,
        changedFieldIndexes: FieldIndexSet = .all
    ) {
        self.type = type
        self.key = key
        self.kind = kind
        self.before = before
        self.after = after
        self.changedFieldIndexes = changedFieldIndexes
    }

    /// The change between two states of a record.
    ///
    /// - Throws: ``CodecError`` where the bytes are none of a record.
    package init(
        type: OpenType, key: [UInt8], before: RecordContent?, after: RecordContent?
    ) throws(CodecError) {
        guard let before, let after else {
            self.init(type: type, key: key, kind: before == nil ? .insert : .delete, before: before, after: after)
            return
        }
        let (oldBytes, newBytes) = (before.bytes, after.bytes)
        let old = try unsafe RecordBytes(unverified: oldBytes.span.bytes)
        let new = try unsafe RecordBytes(unverified: newBytes.span.bytes)
        if old.incarnation != new.incarnation {
            self.init(type: type, key: key, kind: .replace, before: before, after: after)
        } else {
            self.init(
                type: type, key: key, kind: .update, before: before, after: after,
                changedFieldIndexes: FieldIndexSet(try RecordDifference.changedFieldIndexes(from: old, to: new.bytes)))
        }
    }

    /// The change that takes this one back.
    var inverted: StepChange {
        let kind: ChangeKind =
            switch kind {
            case .insert: .delete
            case .delete: .insert
            default: kind
            }
        return StepChange(
            type: type, key: key, kind: kind, before: after, after: before, changedFieldIndexes: changedFieldIndexes)
    }
}
