import Foundation
import LMDB

/// Writes one change set into the feed, fragment by fragment.
///
/// An entry is a stream of bytes. It is cut into fragments, because LMDB stores a large value in a contiguous run of pages:
///
/// ```
/// key          sequence number and fragment number, 8 and 4 bytes, big endian
/// bytes 0-7    chained hash: XXH64 of all bytes after it, seeded with the hash of the previous fragment (in the first
///              fragment: with the hash of the previous change set)
/// byte 8       1 in the last fragment of an entry, else 0
/// bytes 9-     the stream
/// ```
///
/// The hash of an entry is the hash of its last fragment. For the stream, see ``FeedEntry``.
struct FeedEntryWriter: ~Copyable {
    /// The maximum number of stream bytes in a fragment.
    static let fragmentByteCount = 60 << 10

    private let database: LMDBDatabase
    private let sequence: UInt64
    private var hash: UInt64
    private var fragment: UInt32 = 0
    private var stream = ByteWriter(capacity: 1_024)
    private var key = ByteWriter(capacity: 16)
    private var value = ByteWriter(capacity: 1_024)

    init(database: LMDBDatabase, head: FeedHead) {
        self.database = database
        sequence = head.sequence + 1
        hash = head.hash
    }

    /// Appends the head of the stream.
    mutating func begin(_ context: WriteContext, head: FeedHead, changeCount: Int, action: RecordedAction? = nil) {
        stream.append(byte: FeedEntry.format)
        stream.append(byte: action == nil ? 0 : 1)
        context.time.encode(to: &stream)
        stream.append(head.epoch)
        stream.append(head.hash)
        stream.append(varint: UInt64(UInt32(bitPattern: context.origin.processID)))
        let name = context.origin.storedName
        stream.append(varint: UInt64(name.utf8.count))
        stream.append(utf8: name)
        stream.append(varint: UInt64(changeCount))
        action?.append(to: &stream)
    }

    /// Appends a record's insert or delete. The record is in the form of the newest version.
    mutating func append(
        _ kind: ChangeKind, type: OpenType, key: RawSpan, record: RawSpan
    ) throws(CodecError) {
        try appendHead(kind, type, key: key, record: record)
        stream.append(lengthPrefixed: record)
    }

    /// Appends an update of a record, with the earlier values of the changed fields. Both states are in the form of the newest
    /// version.
    mutating func appendUpdate(
        type: OpenType, key: RawSpan, before: RecordBytes, after: RawSpan, changed: [Int]
    ) throws(CodecError) {
        try appendHead(.update, type, key: key, record: after)
        stream.append(lengthPrefixed: after)
        stream.append(varint: UInt64(before.schemaVersion))
        stream.append(varint: UInt64(changed.count))
        let table = try before.table
        for fieldIndex in changed {
            stream.append(varint: UInt64(type.type.fields[fieldIndex].id))
            stream.append(byte: 1)
            stream.append(lengthPrefixed: try table.field(fieldIndex))
        }
    }

    /// Appends a change of a record type with its description as JSON, or a reset with an empty description.
    mutating func append(_ kind: ChangeKind, type: UInt32, description: [UInt8]) {
        stream.append(byte: kind.rawValue)
        stream.append(varint: UInt64(type))
        unsafe stream.append(lengthPrefixed: description.span.bytes)
    }

    /// Writes the full fragments.
    mutating func flushFull(to raw: inout LMDBWriteTransaction) throws(LMDBError) {
        guard stream.count > FeedEntryWriter.fragmentByteCount else { return }
        var written = 0
        while stream.count - written > FeedEntryWriter.fragmentByteCount {
            let end = written + FeedEntryWriter.fragmentByteCount
            try write(written..<end, isLast: false, to: &raw)
            written = end
        }
        let rest = stream.bytes.extracting(written..<stream.count).array()
        stream.removeAll()
        stream.append(rest)
    }

    /// The whole entry, after ``finish(_:to:)``. Nil for an entry of several fragments, because only its end is still in memory.
    var written: WrittenEntry? {
        fragment == 1 ? WrittenEntry(sequence: sequence, hash: hash, stream: stream.array()) : nil
    }

    /// Writes the rest of the stream.
    ///
    /// - Returns: the feed's head after this entry.
    mutating func finish(_ head: FeedHead, to raw: inout LMDBWriteTransaction) throws(LMDBError) -> FeedHead {
        try flushFull(to: &raw)
        try write(0..<stream.count, isLast: true, to: &raw)
        var next = head
        next.sequence = sequence
        next.hash = hash
        return next
    }

    private mutating func appendHead(
        _ kind: ChangeKind, _ type: OpenType, key: RawSpan, record: RawSpan
    ) throws(CodecError) {
        stream.append(byte: kind.rawValue)
        stream.append(varint: UInt64(type.type.id))
        // All stores with this change have the same bytes in their feeds, whatever their secrets.
        guard key.byteCount == KeyLimit.recordKey, type.keyHash != .publicSeeds,
            let whole = try type.longID(of: RecordBytes(unverified: record).table, key)
        else { return stream.append(lengthPrefixed: key) }
        var feedKey = ByteWriter(capacity: 512)
        feedKey.append(whole)
        KeyLimit.truncateRecordKey(&feedKey, .publicSeeds)
        stream.append(lengthPrefixed: feedKey.bytes)
    }

    private mutating func write(
        _ range: Range<Int>, isLast: Bool, to raw: inout LMDBWriteTransaction
    ) throws(LMDBError) {
        value.removeAll()
        value.append(UInt64(0))
        value.append(byte: isLast ? 1 : 0)
        value.append(range, of: stream)
        hash = FeedEntryWriter.hash(value, seed: hash)
        value.overwrite(hash, at: 0)
        key.removeAll()
        key.append(bigEndian: sequence)
        key.append(bigEndian: fragment)
        try raw.put(database, key: key, value: value, options: .append)
        fragment += 1
    }

    private static func hash(_ value: borrowing ByteWriter, seed: UInt64) -> UInt64 {
        XXH64.hash(value.bytes.extracting(8..<value.count), seed: seed)
    }
}
