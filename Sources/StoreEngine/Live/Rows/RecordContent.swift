import Synchronization

/// The bytes of one record in one state. All users of that state share one object.
///
/// The decoded form is kept with the bytes, so only the first reader decodes the record.
package final class RecordContent: Sendable {
    /// The whole record, in the form of its type's newest version.
    package let bytes: [UInt8]
    /// Set once. If two readers decode the record at the same time, both use the form that was stored first.
    private let form = AtomicLazyReference<DecodedContent>()

    /// - Parameter bytes: a whole record as ``RecordBytes`` reads it, in the form of its type's newest version.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The decoded form; nil where no reader has stored one.
    package var kept: DecodedContent? { form.load() }

    /// Returns the decoded form.
    ///
    /// - Parameter make: decodes the bytes. Not called where a decoded form is already stored.
    package func decoded<E: Error>(_ make: () throws(E) -> DecodedContent) throws(E) -> DecodedContent {
        if let form = form.load() { return form }
        return form.storeIfNil(try make())
    }
}

/// The decoded form of a record's bytes, made by code that knows the Swift type.
package final class DecodedContent: Sendable {
    /// The record as its Swift type.
    package let value: any Sendable

    package init(_ value: any Sendable) { self.value = value }
}

extension RecordContent {
    /// The sequence number of the change set that inserted the record. 0, which no change set has, where the bytes are not a
    /// record.
    package var incarnation: UInt64 {
        let bytes = bytes
        return (try? unsafe RecordBytes(unverified: bytes.span.bytes).incarnation) ?? 0
    }

    /// Calls `body` with the record's fields.
    func withTable<T>(_ body: (FieldTable) throws(CodecError) -> T) throws(CodecError) -> T {
        let bytes = bytes
        let record = try unsafe RecordBytes(unverified: bytes.span.bytes)
        return try body(record.table)
    }

    /// Whether both have the same bytes.
    func isEqual(to other: RecordContent) -> Bool { self === other || bytes == other.bytes }

    /// Returns the fields that differ from an earlier content. Returns all fields when the bytes cannot be compared, or when the
    /// incarnations differ.
    ///
    /// - Parameter type: the record type of this content; required where the earlier content may have an earlier version.
    func changedFieldIndexes(
        since old: RecordContent, of type: OpenType? = nil
    ) -> (fieldIndexes: FieldIndexSet, isReplaced: Bool) {
        do {
            return try requireChangedFieldIndexes(since: old, of: type)
        } catch {
            return (.all, false)
        }
    }

    /// Returns the fields that differ from an earlier content, as `changedFieldIndexes(since:of:)` does.
    ///
    /// - Throws: ``CodecError`` when the bytes cannot be compared.
    func requireChangedFieldIndexes(
        since old: RecordContent, of type: OpenType?
    ) throws(CodecError) -> (fieldIndexes: FieldIndexSet, isReplaced: Bool) {
        let (oldBytes, newBytes) = (old.bytes, bytes)
        let before = try unsafe RecordBytes(unverified: oldBytes.span.bytes)
        let after = try unsafe RecordBytes(unverified: newBytes.span.bytes)
        if before.incarnation != after.incarnation { return (.all, true) }
        guard let type, before.schemaVersion != after.schemaVersion else {
            return (FieldIndexSet(try RecordDifference.changedFieldIndexes(from: before, to: after.bytes)), false)
        }
        // In the earlier version, the fields had other indexes.
        return try type.withNewest(before) { (before) throws(CodecError) in
            (FieldIndexSet(try RecordDifference.changedFieldIndexes(from: before, to: after.bytes)), false)
        }
    }
}
