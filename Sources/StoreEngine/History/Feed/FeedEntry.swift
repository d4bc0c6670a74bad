package import Foundation

/// A change set as stored in the feed, decoded.
///
/// The stream of an entry:
///
/// ```
/// u8       format, 1
/// u8       flags: bit 0 if there is an action; the other bits are 0
/// f64      time, seconds since 2001-01-01 UTC
/// u64      epoch
/// u64      hash of the previous change set
/// varint   process id of the origin
/// string   name of the origin, and a kind other than `user` behind it: `thermo!undo(12)`, `thermo!restore(7)`,
///          `thermo!migration(1>2)` with escapes as in URLs (strings and bytes: a varint length, then the bytes)
/// varint   number of changes
/// the action, if there is one:
///   string   name
///   bytes    payload, JSON
///   u8       1 and the result as bytes, JSON; or 0 if there is none
///   u64      initial state of the transaction's random stream
/// each change:
///   u8       kind
///   varint   number of the record type
///   bytes    record key, under the public seeds if long    (insert, update, delete)
///   bytes    the record: after, for a delete before        (insert, update, delete)
///   varint   schema version of the earlier values          (update)
///   varint   number of changed fields, then each of them:  (update)
///     varint   number of the field
///     u8       1 and the earlier value as bytes; or 0 if the earlier record did not have the field
///   bytes    the type's description as JSON, or nothing    (schema, reset)
/// ```
package struct FeedEntry: Sendable, Hashable {
    package static let format: UInt8 = 1

    package var sequence: UInt64
    package var hash: UInt64
    package var previousHash: UInt64
    package var epoch: UInt64
    package var time: Date
    package var origin: Origin
    package var action: RecordedAction?
    package var changes: [FeedChange]
}

/// One change as stored in the feed.
package struct FeedChange: Sendable, Hashable {
    package var kind: ChangeKind
    package var type: UInt32
    /// The record's key: in the feed under the public seeds, after ``findKey(in:)`` under the secret of this store.
    package var key: [UInt8] = []
    /// The record after the change, or before it for a delete. For a schema change, a description of the type.
    package var record: [UInt8] = []
    /// The schema version of the values in `earlier`.
    package var earlierVersion: UInt32 = 0
    /// The changed fields by field number, with their earlier values; nil if the earlier record did not have the field.
    package var earlier: [EarlierValue] = []
    /// The whole earlier record, in a combination of several change sets.
    package var replaced: [UInt8]?
}

/// The value of a field before an update.
package struct EarlierValue: Sendable, Hashable {
    package var field: UInt32
    package var bytes: [UInt8]?
}

/// The beginning of an entry's stream. The first fragment contains all of it.
package struct FeedEntryHeader: Sendable, Hashable {
    package let time: Date
    package let epoch: UInt64
    package let previousHash: UInt64
    package let origin: Origin
    package let changeCount: UInt64
    /// Whether an action follows.
    let hasAction: Bool

    init(
        time: Date, epoch: UInt64, previousHash: UInt64, origin: Origin, changeCount: UInt64, hasAction: Bool
    ) {
        self.time = time
        self.epoch = epoch
        self.previousHash = previousHash
        self.origin = origin
        self.changeCount = changeCount
        self.hasAction = hasAction
    }

    init(from reader: inout ByteReader) throws(CodecError) {
        let format = try reader.read(UInt8.self)
        guard format == FeedEntry.format else { throw CodecError("a feed entry has the format \(format)") }
        let flags = try reader.read(UInt8.self)
        guard flags <= 1 else { throw CodecError("a feed entry has unknown flags") }
        hasAction = flags == 1
        time = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.read(UInt64.self)))
        epoch = try reader.read(UInt64.self)
        previousHash = try reader.read(UInt64.self)
        let processID = Int32(truncatingIfNeeded: try reader.readVarint())
        origin = Origin(name: try String(from: reader.readLengthPrefixed()), processID: processID)
        changeCount = try reader.readVarint()
    }
}

extension FeedEntry {
    /// Decodes the stream of an entry.
    package init(sequence: UInt64, hash: UInt64, stream: RawSpan) throws(CodecError) {
        var reader = ByteReader(stream)
        let header = try FeedEntryHeader(from: &reader)
        let action = header.hasAction ? try RecordedAction(from: &reader) : nil
        let count = header.changeCount
        guard count <= UInt64(reader.remaining) else { throw CodecError("a feed entry counts \(count) changes") }
        var changes: [FeedChange] = []
        changes.reserveCapacity(Int(count))
        for _ in 0..<count { changes.append(try FeedChange(from: &reader)) }
        guard reader.isAtEnd else { throw CodecError("a feed entry has \(reader.remaining) bytes too many") }
        self.init(
            sequence: sequence, hash: hash, previousHash: header.previousHash, epoch: header.epoch, time: header.time,
            origin: header.origin, action: action, changes: changes)
    }
}

extension FeedChange {
    init(from reader: inout ByteReader) throws(CodecError) {
        let rawKind = try reader.read(UInt8.self)
        guard let kind = ChangeKind(rawValue: rawKind), kind != .replace else {
            throw CodecError("a change has the unknown kind \(rawKind)")
        }
        guard let type = UInt32(exactly: try reader.readVarint()) else {
            throw CodecError("a change has a type number out of range")
        }
        self.init(kind: kind, type: type)
        if kind == .schema || kind == .reset {
            record = try reader.readLengthPrefixed().array()
            return
        }
        key = try reader.readLengthPrefixed().array()
        record = try reader.readLengthPrefixed().array()
        guard kind == .update else { return }
        guard let version = UInt32(exactly: try reader.readVarint()) else {
            throw CodecError("a change has a schema version out of range")
        }
        earlierVersion = version
        let count = try reader.readVarint()
        guard count <= UInt64(FieldTable.maximumCount) else { throw CodecError("a change has \(count) changed fields") }
        for _ in 0..<count {
            guard let field = UInt32(exactly: try reader.readVarint()) else {
                throw CodecError("a change has a field number out of range")
            }
            let mark = try reader.read(UInt8.self)
            guard mark <= 1 else { throw CodecError("the mark of an earlier value is neither 0 nor 1") }
            earlier.append(EarlierValue(field: field, bytes: mark == 1 ? try reader.readLengthPrefixed().array() : nil))
        }
    }
}

// Stores hash long keys under different secrets, and replicas compare the bytes of their feeds. So feeds contain these keys under
// the public seeds, and each store finds its own keys through the ids in the records.
extension FeedChange {
    /// Replaces a truncated key of the feed by that of this store.
    mutating func findKey(in state: StoreState) {
        if key.count == KeyLimit.recordKey {
            key = storedKey(state.catalog.description(ofID: type), state.databases.keyHash)
        }
    }

    /// Returns the key that the record has in a store, for a change as the feed contains it.
    ///
    /// - Parameters:
    ///   - type: the record's type; nil if the store does not know it.
    ///   - hash: how the store hashes long keys.
    func storedKey(_ type: RecordType?, _ hash: KeyHash) -> [UInt8] {
        guard key.count == KeyLimit.recordKey, hash != .publicSeeds, let type else { return key }
        var own = ByteWriter(capacity: 512)
        do {
            unsafe try RecordBody.appendIDKey(of: RecordBytes(unverified: record.span.bytes), type, to: &own)
        } catch {
            // The record is damaged. Its readers find that out.
            return key
        }
        KeyLimit.truncateRecordKey(&own, hash)
        return own.array()
    }
}

extension FeedEntry {
    /// Replaces the truncated keys of the feed by those of this store.
    mutating func findKeys(in state: StoreState) {
        for index in changes.indices { changes[index].findKey(in: state) }
    }
}
