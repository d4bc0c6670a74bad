package import Foundation
import StoreEngine
package import StoreRuntime

/// One entry of a log: the change sets of one commit of one node.
///
/// ```
/// u8       format, 1
/// u64      generation
/// u64      index
/// 16 bytes hash of the entry before
/// 16 bytes write id
/// string   node                  (strings and bytes: a varint length, then the bytes)
/// string   version of ModelStore in the node's program
/// varint   number of items, then each of them:
///   u8 1   origin, only in the first entry: 16 bytes identity of the store, u64 epoch
///   u8 2   change set: u64 sequence number, u64 chained hash, bytes as in the feed
///   u8 3   assigned id: varint number of the type, u64 greatest assigned id
///   u8 4   consumer: string name, bytes state and bytes interest as the store keeps them, both empty for a deleted consumer
///   u8 5   sum of the store's records after the entry: 16 bytes. Not after a change of the schema
/// ```
public struct LogEntry: Sendable, Hashable {
    /// The entry's bytes, as a log keeps them.
    public let bytes: [UInt8]
    /// The position after the entry.
    public let position: LogPosition
    /// The position before the entry.
    public let previous: LogPosition
    /// The identity of the append.
    public let writeID: WriteID
    /// The node that wrote it.
    public let node: String
    /// The version of ModelStore in the node's program.
    public let version: String
    /// The number of its change sets.
    public var changeSetCount: Int { content.changeSets.count }

    /// The identity and the epoch of the store, in the first entry of a log.
    package let origin: LogOrigin?
    package let content: LoggedEntry

    static let format: UInt8 = 1

    /// Creates the entry after a position.
    package init(
        after previous: LogPosition, writeID: WriteID = WriteID(), node: String, version: String = LibraryVersion.text,
        origin: LogOrigin? = nil, _ content: LoggedEntry
    ) {
        self.previous = previous
        self.writeID = writeID
        self.node = node
        self.version = version
        self.origin = origin
        self.content = content
        var writer = ByteWriter(capacity: 256)
        writer.append(byte: Self.format)
        writer.append(previous.generation)
        writer.append(previous.index + 1)
        previous.hash.encode(to: &writer)
        writeID.uuid.encode(to: &writer)
        for text in [node, version] {
            writer.append(varint: UInt64(text.utf8.count))
            writer.append(utf8: text)
        }
        let count =
            (origin == nil ? 0 : 1) + content.changeSets.count + content.assigned.count + content.consumers.count
            + (content.contentSum == nil ? 0 : 1)
        writer.append(varint: UInt64(count))
        if let origin {
            writer.append(byte: Item.origin.rawValue)
            origin.identity.encode(to: &writer)
            writer.append(origin.epoch)
        }
        for set in content.changeSets {
            writer.append(byte: Item.changeSet.rawValue)
            writer.append(set.sequence)
            writer.append(set.hash)
            unsafe writer.append(lengthPrefixed: set.stream.span.bytes)
        }
        for (type, id) in content.assigned.sorted(by: { $0.key < $1.key }) {
            writer.append(byte: Item.assignedID.rawValue)
            writer.append(varint: UInt64(type))
            writer.append(id)
        }
        for consumer in content.consumers {
            writer.append(byte: Item.consumer.rawValue)
            for bytes in [Array(consumer.name.utf8), consumer.state ?? [], consumer.interest] {
                unsafe writer.append(lengthPrefixed: bytes.span.bytes)
            }
        }
        if let sum = content.contentSum {
            writer.append(byte: Item.contentSum.rawValue)
            let bytes = sum.bytes
            unsafe writer.append(bytes.span.bytes)
        }
        bytes = writer.array()
        position = LogPosition(
            generation: previous.generation, index: previous.index + 1, hash: LogHash(bytes, after: previous.hash))
    }

    private enum Item: UInt8 {
        case origin = 1
        case changeSet = 2
        case assignedID = 3
        case consumer = 4
        case contentSum = 5
    }

    /// Reads an entry that a log has kept.
    ///
    /// - Throws: ``SharedLogError`` with the code `damaged`.
    public init(_ bytes: [UInt8]) throws(SharedLogError) {
        do {
            try self.init(decoding: bytes)
        } catch {
            throw SharedLogError(.damaged, "an entry of the log cannot be read: \(error.reason)")
        }
    }

    private init(decoding bytes: [UInt8]) throws(CodecError) {
        var reader = unsafe ByteReader(bytes.span.bytes)
        let format = try reader.read(UInt8.self)
        guard format == Self.format else { throw CodecError("it has the format \(format)") }
        let generation: UInt64 = try reader.read()
        let index: UInt64 = try reader.read()
        guard index > 0 else { throw CodecError("it has the index 0") }
        let previousHash = try LogHash(from: &reader)
        writeID = WriteID(try UUID(from: reader.read(byteCount: 16)))
        node = try String(from: reader.readLengthPrefixed())
        version = try String(from: reader.readLengthPrefixed())
        let count = try reader.readVarint()
        guard count <= UInt64(reader.remaining) else { throw CodecError("it counts \(count) items") }
        var origin: LogOrigin?
        var content = LoggedEntry(changeSets: [])
        for _ in 0..<count {
            let kind = try reader.read(UInt8.self)
            switch Item(rawValue: kind) {
            case .origin?:
                origin = LogOrigin(
                    identity: try UUID(from: reader.read(byteCount: 16)), epoch: try reader.read(UInt64.self))
            case .changeSet?:
                content.changeSets.append(
                    LoggedEntry.ChangeSet(
                        sequence: try reader.read(), hash: try reader.read(),
                        stream: try reader.readLengthPrefixed().array()))
            case .assignedID?:
                guard let type = UInt32(exactly: try reader.readVarint()) else {
                    throw CodecError("it has a type number out of range")
                }
                content.assigned[type] = try reader.read(UInt64.self)
            case .consumer?:
                let name = try String(from: reader.readLengthPrefixed())
                let state = try reader.readLengthPrefixed().array()
                content.consumers.append(
                    ConsumerRow(
                        name: name, state: state.isEmpty ? nil : state,
                        interest: try reader.readLengthPrefixed().array()))
            case .contentSum?: content.contentSum = try ContentSum(reader.read(byteCount: 16))
            case nil: throw CodecError("it has an item of the unknown kind \(kind)")
            }
        }
        guard reader.isAtEnd else { throw CodecError("it has \(reader.remaining) bytes too many") }
        self.bytes = bytes
        self.origin = origin
        self.content = content
        previous = LogPosition(generation: generation, index: index - 1, hash: previousHash)
        position = LogPosition(generation: generation, index: index, hash: LogHash(bytes, after: previousHash))
    }

    /// Returns whether two entries have the same bytes.
    public static func == (left: LogEntry, right: LogEntry) -> Bool { left.bytes == right.bytes }

    public func hash(into hasher: inout Hasher) { hasher.combine(position) }
}

/// The identity and the epoch that all replicas of a log have.
package struct LogOrigin: Sendable, Hashable {
    package let identity: UUID
    package let epoch: UInt64

    package init(identity: UUID, epoch: UInt64) {
        self.identity = identity
        self.epoch = epoch
    }
}
