/// The effect of undoing one change on its record, in the form of the newest version.
struct ChangeInversion {
    /// The write that undoes the change.
    enum Action {
        case delete
        /// Insert a record with all of these fields.
        case insert([UInt8])
        /// Set the fields with these indexes to their earlier values.
        case update([UInt8], fieldIndexes: [Int])
    }

    let change: FeedChange
    let type: OpenType
    let typeIndex: Int
    let action: Action
    /// The record after the change; nil for a delete.
    private let after: [UInt8]?

    /// - Throws: ``CodecError`` if the record before or after the change has no form in the newest version.
    init(_ change: FeedChange, _ type: OpenType, typeIndex: Int) throws(CodecError) {
        self.change = change
        self.type = type
        self.typeIndex = typeIndex
        let before = try ChangeInversion.newest(change.before(type.type), type)
        after = try ChangeInversion.newest(change.after, type)
        guard let before else {
            action = .delete
            return
        }
        guard let after else {
            action = .insert(before)
            return
        }
        let old = unsafe try RecordBytes(unverified: before.span.bytes)
        action = .update(
            before, fieldIndexes: unsafe try RecordDifference.changedFieldIndexes(from: old, to: after.span.bytes))
    }

    /// Whether undoing the change deletes the record.
    var deletes: Bool { if case .delete = action { true } else { false } }

    /// Returns why the record in its current state cannot be brought back to its earlier state; nil when it can.
    func conflict(with stored: RawSpan?) throws(CodecError) -> ChangeConflict.Reason? {
        guard let after else { return stored == nil ? nil : .exists }
        guard let stored else { return .gone }
        let now = try RecordBytes(unverified: stored)
        let left = unsafe try RecordBytes(unverified: after.span.bytes)
        var changed = try RecordDifference.changedFieldIndexes(from: left, to: stored)
        // A record of another incarnation with equal fields is the result of undoing the delete, and is no conflict.
        guard now.incarnation == left.incarnation || changed.isEmpty else { return .gone }
        if case .update(_, let fieldIndexes) = action { changed.removeAll { !fieldIndexes.contains($0) } }
        return changed.isEmpty ? nil : .changed(fields: changed.map { type.type.fields[$0].name })
    }

    /// Encodes the restored record, given its stored state.
    func encode(over stored: RawSpan?, to encoder: inout FieldEncoder) throws(CodecError) {
        switch action {
        case .delete: return
        case .insert(let before): try ChangeInversion.encode(before, fieldIndexes: nil, over: nil, to: &encoder)
        case .update(let before, let fieldIndexes):
            try ChangeInversion.encode(before, fieldIndexes: fieldIndexes, over: stored, to: &encoder)
        }
    }

    private static func encode(
        _ before: [UInt8], fieldIndexes: [Int]?, over stored: RawSpan?, to encoder: inout FieldEncoder
    ) throws(CodecError) {
        let earlier = unsafe try RecordBytes(unverified: before.span.bytes).table
        encoder.begin(fieldCount: earlier.count)
        if let stored, let fieldIndexes {
            let now = try RecordBytes(unverified: stored).table
            for fieldIndex in 0..<earlier.count {
                encoder.append(
                    encoded: try fieldIndexes.contains(fieldIndex) ? earlier.field(fieldIndex) : now.field(fieldIndex))
            }
        } else {
            for fieldIndex in 0..<earlier.count { encoder.append(encoded: try earlier.field(fieldIndex)) }
        }
        try encoder.finish()
    }

    private static func newest(_ bytes: [UInt8]?, _ type: OpenType) throws(CodecError) -> [UInt8]? {
        guard let bytes else { return nil }
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        return try type.withNewest(record) { (newest) throws(CodecError) in newest.bytes.array() }
    }
}
