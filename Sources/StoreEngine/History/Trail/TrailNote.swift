/// The trail's entry about one record.
///
/// ```
/// u64    the newest change set that changed the record, among those that left the feed
/// u64    the record's incarnation in that change set
/// u8     bit 0: that change set deleted the record; bit 1: it had an earlier incarnation
/// u64    if it had an earlier incarnation: the last earlier one,
/// u64    the change set in which that one ended,
/// u64    and the change set in which the incarnation before that ended, 0 if there was none
/// bytes  if the record was deleted, to the end: its id, encoded as in a reference to it
/// ```
struct TrailNote: Hashable, Sendable {
    /// An incarnation of the record before the newest one.
    struct EarlierLife: Hashable, Sendable {
        let incarnation: UInt64
        /// The change set that deleted the record.
        let end: UInt64
        /// The change set in which the incarnation before this one ended; 0 if there was none.
        let endBefore: UInt64
    }

    /// The newest change set that changed the record, among those that left the feed.
    let sequence: UInt64
    /// The record's incarnation in that change set.
    let incarnation: UInt64
    /// Whether that change set deleted the record.
    let isDeleted: Bool
    let earlier: EarlierLife?
    /// The encoded id, if the record was deleted; otherwise empty.
    let id: [UInt8]

    /// Creates the note after a change of a record.
    ///
    /// - Parameters:
    ///   - note: the note before the change.
    ///   - id: the encoded id, if the change deleted the record.
    init(after note: TrailNote?, sequence: UInt64, incarnation: UInt64, deletedID id: [UInt8]?) {
        self.sequence = sequence
        self.incarnation = incarnation
        isDeleted = id != nil
        self.id = id ?? []
        guard let note else {
            earlier = nil
            return
        }
        earlier =
            note.incarnation == incarnation
            ? note.earlier
            : EarlierLife(
                incarnation: note.incarnation, end: note.isDeleted ? note.sequence : sequence,
                endBefore: note.earlier?.end ?? 0)
    }

    /// Returns whether a record existed under the id after a change set that came before this note. Returns nil if this is not
    /// known, because more than one incarnation has ended since.
    func wasThere(after position: UInt64) -> Bool? {
        if incarnation <= position { return true }
        guard let earlier, earlier.end > position else { return false }
        if earlier.incarnation <= position { return true }
        return earlier.endBefore > position ? nil : false
    }

    init(from bytes: RawSpan) throws(CodecError) {
        var reader = ByteReader(bytes)
        sequence = try reader.read()
        incarnation = try reader.read()
        let flags = try reader.read(UInt8.self)
        guard flags <= 3 else { throw CodecError("a note of the trail has unknown flags") }
        isDeleted = flags & 1 != 0
        earlier =
            flags & 2 == 0
            ? nil
            : EarlierLife(
                incarnation: try reader.read(), end: try reader.read(), endBefore: try reader.read())
        id = isDeleted ? try reader.read(byteCount: reader.remaining).array() : []
        guard reader.isAtEnd else { throw CodecError("a note of the trail has \(reader.remaining) bytes too many") }
    }

    func encode(to writer: inout ByteWriter) {
        writer.append(sequence)
        writer.append(incarnation)
        writer.append(byte: (isDeleted ? 1 : 0) | (earlier == nil ? 0 : 2))
        if let earlier {
            writer.append(earlier.incarnation)
            writer.append(earlier.end)
            writer.append(earlier.endBefore)
        }
        writer.append(id)
    }
}
