import Synchronization

/// The bytes of one record at one time, shared by all that show it.
///
/// What they are decoded to is kept with them: of all who read the record the first decodes it.
package final class RecordContent: Sendable {
    /// The whole record, in the form of its type's newest version.
    package let bytes: [UInt8]
    /// Set once; whoever comes second with the same takes what is there.
    private let form = AtomicLazyReference<DecodedContent>()

    /// - Parameter bytes: a whole record as ``RecordBytes`` reads it, in the form of its type's newest version.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What the bytes were decoded to by somebody who kept it.
    package var kept: DecodedContent? { form.load() }

    /// What the bytes are decoded to.
    ///
    /// - Parameter make: decodes them; not called when somebody has done so before.
    package func decoded<E: Error>(_ make: () throws(E) -> DecodedContent) throws(E) -> DecodedContent {
        if let form = form.load() { return form }
        return form.storeIfNil(try make())
    }
}

/// What a record's bytes were decoded to, by whoever knows its Swift type.
package final class DecodedContent: Sendable {
    /// The record's Swift form.
    package let value: any Sendable

    package init(_ value: any Sendable) { self.value = value }
}

extension RecordContent {
    /// The sequence number of the change set that inserted the record; 0, which none has, where the bytes are no record.
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

    /// Whether both hold the same bytes.
    func isEqual(to other: RecordContent) -> Bool { self === other || bytes == other.bytes }

    /// The fields that differ from an earlier content; all when the bytes cannot be compared, or are another incarnation's.
    ///
    /// - Parameter type: the record type of this content, where the earlier one may be of an earlier version of it.
    func changedFieldIndexes(
        since old: RecordContent, of type: OpenType? = nil
    ) -> (fieldIndexes: FieldIndexSet, isReplaced: Bool) {
        do {
            return try requireChangedFieldIndexes(since: old, of: type)
        } catch {
            return (.all, false)
        }
    }

    /// The same.
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
        // Its fields stood at other places.
        return try type.withNewest(before) { (before) throws(CodecError) in
            (FieldIndexSet(try RecordDifference.changedFieldIndexes(from: before, to: after.bytes)), false)
        }
    }
}
