/// The net change of one record in a step.
package struct StepChange: Sendable {
    /// The record's type.
    package let type: OpenType
    /// The record's key.
    package let key: [UInt8]
    /// The kind of the change. A record that was deleted and inserted again is a `replace`: another record with the same id.
    package let kind: ChangeKind
    /// The record before the step; nil where there was none. Also nil for types of which only the record after the step is
    /// needed.
    package let before: RecordContent?
    /// The record after the step; nil where there is none.
    package let after: RecordContent?
    /// The last state of a record that the step changed and then deleted; nil if it is the state before the step.
    package let last: RecordContent?
    /// The indexes of the fields that an update changed, indexed or not. For every other kind of change, all fields.
    package let changedFieldIndexes: FieldIndexSet

    /// Whether the record was deleted and inserted again.
    package var isReplaced: Bool { kind == .replace }

    /// - Parameters:
    ///   - type: the record's type, from the catalog of the step's snapshot.
    ///   - before: the record before the step, in the form of the newest version.
    ///   - after: the record after the step, in the form of the newest version.
    ///   - last: the last state of a deleted record that the step changed before.
    ///   - changedFieldIndexes: the fields that an update changed.
    package init(
        type: OpenType, key: [UInt8], kind: ChangeKind, before: RecordContent?, after: RecordContent?,
        last: RecordContent? = nil, changedFieldIndexes: FieldIndexSet = .all
    ) {
        self.type = type
        self.key = key
        self.kind = kind
        self.before = before
        self.after = after
        self.last = last
        self.changedFieldIndexes = changedFieldIndexes
    }

    /// Creates the change between two states of a record.
    ///
    /// - Throws: ``CodecError`` where the bytes are not a record.
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

    /// The change that reverses this one.
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
