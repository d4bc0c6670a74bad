import Foundation
import StoreEngine

/// Describes the newest snapshot of a log. A register of the log keeps it.
///
/// ```
/// u8       format, 1
/// position u64 generation, u64 index, 16 bytes hash
/// u64      length of the file in bytes
/// 16 bytes checksum of the file
/// string   name of the file       (a varint length, then the bytes)
/// f64      when it was taken, in seconds since 2001-01-01
/// varint   number of earlier snapshots, then each: position, f64 when
/// ```
struct SnapshotManifest: Sendable, Hashable {
    /// A snapshot that a log had at some time.
    struct Mark: Sendable, Hashable {
        let position: LogPosition
        let time: Date
    }

    /// The register's key.
    static let key = "manifest"
    private static let format: UInt8 = 1
    /// Enough for the hour that entries are retained, at a snapshot every few minutes.
    private static let earlierLimit = 16

    /// The entry up to which the snapshot has the log, and when it was taken.
    let mark: Mark
    let byteCount: UInt64
    let checksum: LogHash
    let file: String
    /// The snapshots before, oldest first.
    let earlier: [Mark]

    var position: LogPosition { mark.position }
    /// All known snapshots.
    var marks: [Mark] { earlier + [mark] }

    /// - Parameter previous: the manifest that this one replaces.
    init(_ mark: Mark, byteCount: UInt64, checksum: LogHash, file: String, replacing previous: SnapshotManifest?) {
        self.mark = mark
        self.byteCount = byteCount
        self.checksum = checksum
        self.file = file
        let isContinued = previous?.position.generation == mark.position.generation
        earlier = isContinued ? (previous?.marks ?? []).suffix(Self.earlierLimit) : []
    }

    /// Returns the beginning of the names of the files for a log's snapshots. It has the identity and the epoch of the replicas,
    /// so that several logs can keep their snapshots in one place.
    static func filePrefix(_ feed: Position) -> String {
        "snapshot-\(feed.store.uuidString.lowercased())-\(String(feed.epoch, radix: 16))-"
    }

    /// Returns the name of the file for a snapshot. Two copies of one position can differ in their bytes, so the name has their
    /// checksum.
    static func fileName(_ feed: Position, _ position: LogPosition, _ checksum: LogHash) -> String {
        filePrefix(feed) + "\(position.generation)-\(position.index)-\(checksum).mdb"
    }

    /// Returns whether the snapshot is one of the replicas that have a position's identity and epoch.
    func isOfReplicas(with feed: Position) -> Bool { file.hasPrefix(Self.filePrefix(feed)) }

    /// - Throws: ``SharedLogError`` with the code `damaged`.
    init(_ bytes: [UInt8]) throws(SharedLogError) {
        do throws(CodecError) {
            var reader = unsafe ByteReader(bytes.span.bytes)
            let format = try reader.read(UInt8.self)
            guard format == Self.format else { throw CodecError("it has the format \(format)") }
            let position = try LogPosition(from: &reader)
            byteCount = try reader.read()
            checksum = try LogHash(from: &reader)
            file = try String(from: reader.readLengthPrefixed())
            mark = Mark(position: position, time: try Self.time(&reader))
            let count = try reader.readVarint()
            guard count <= UInt64(Self.earlierLimit) else { throw CodecError("it counts \(count) snapshots") }
            var earlier: [Mark] = []
            for _ in 0..<count {
                let position = try LogPosition(from: &reader)
                earlier.append(Mark(position: position, time: try Self.time(&reader)))
            }
            self.earlier = earlier
            guard reader.isAtEnd else { throw CodecError("it has \(reader.remaining) bytes too many") }
        } catch {
            throw SharedLogError(.damaged, "the manifest of the log's snapshots cannot be read: \(error.reason)")
        }
    }

    private static func time(_ reader: inout ByteReader) throws(CodecError) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.read()))
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.append(byte: Self.format)
        mark.position.encode(to: &writer)
        writer.append(byteCount)
        checksum.encode(to: &writer)
        writer.append(varint: UInt64(file.utf8.count))
        writer.append(Array(file.utf8))
        writer.append(mark.time.timeIntervalSinceReferenceDate.bitPattern)
        writer.append(varint: UInt64(earlier.count))
        for mark in earlier {
            mark.position.encode(to: &writer)
            writer.append(mark.time.timeIntervalSinceReferenceDate.bitPattern)
        }
        return writer.array()
    }
}
