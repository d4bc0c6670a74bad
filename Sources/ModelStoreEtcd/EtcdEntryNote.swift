#if Etcd
import Foundation
import ModelStoreReplication
import StoreEngine

/// The value that the cluster keeps for an entry that is longer than a request may be. The entry's bytes are in parts with keys
/// of their own.
///
/// The parts are put before the note. So an entry of the log has all its parts. Parts whose entry did not get its index are
/// removed together with the entries up to that index.
///
/// ```
/// u8       0, with which no entry begins
/// 16 bytes write id of the entry
/// u64      number of bytes of the entry
/// ```
struct EtcdEntryNote: Sendable, Hashable {
    private static let mark: UInt8 = 0

    let writeID: WriteID
    let byteCount: Int

    init(_ entry: LogEntry) {
        writeID = entry.writeID
        byteCount = entry.bytes.count
    }

    /// Returns nil for the bytes of an entry.
    init?(stored bytes: [UInt8]) throws(SharedLogError) {
        guard bytes.first == Self.mark else { return nil }
        do throws(CodecError) {
            var reader = unsafe ByteReader(bytes.span.bytes)
            _ = try reader.read(UInt8.self)
            writeID = WriteID(try UUID(from: reader.read(byteCount: 16)))
            guard let count = Int(exactly: try reader.read(UInt64.self)), reader.isAtEnd else {
                throw CodecError("its length is wrong")
            }
            byteCount = count
        } catch {
            throw SharedLogError(.damaged, "the note of a long entry in etcd cannot be read: \(error.reason)")
        }
    }

    /// The bytes that the cluster keeps.
    var stored: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        writer.append(byte: Self.mark)
        writeID.uuid.encode(to: &writer)
        writer.append(UInt64(byteCount))
        return writer.array()
    }
}
#endif
