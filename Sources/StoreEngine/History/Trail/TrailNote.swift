/// What the trail remembers of a record.
///
/// ```
/// u64    the newest change set in which it changed, of those that left the feed
/// u64    its incarnation there
/// u8     bit 0: it was deleted there; bit 1: it had an earlier life
/// u64    where it had an earlier life: the incarnation of the last one,
/// u64    the change set in which that ended,
/// u64    and the one in which the life before that ended, 0 where there was none
/// bytes  where it was deleted, to the end: its id, as a reference to it is encoded
/// ```
struct TrailNote: Hashable, Sendable {
    /// A life of the record before the newest.
    struct EarlierLife: Hashable, Sendable {
        let incarnation: UInt64
        /// The change set in which it was deleted.
        let end: UInt64
        /// Where the life before this one ended; 0 where there was none.
        let endBefore: UInt64
    }

    /// The newest change set in which the record changed, of those that left the feed.
    let sequence: UInt64
    /// Its incarnation there.
    let incarnation: UInt64
    /// Whether it was deleted there.
    let isDeleted: Bool
    let earlier: EarlierLife?
    /// The encoded id of one that was deleted.
    let id: [UInt8]

    /// What is to be remembered after a change of a record.
    ///
    /// - Parameters:
    ///   - note: what was remembered before it.
    ///   - id: the encoded id, of a record that was deleted.
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

    /// Whether there was a record under the id after a change set that came before this note; nil where that is not known,
    /// because more than one life ended since.
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
