package import StoreEngine
import StoreRuntime

/// The place of a replica in its log. The replica stores it in its metadata, in the transaction of the entry.
///
/// ```
/// u8       format, 1
/// u64      generation
/// u64      index
/// 16 bytes hash of the entry
/// u64      sequence number of the newest change set after the entry
/// ```
package struct ReplicaState: Sendable, Hashable {
    /// The newest entry that the replica has applied.
    package var applied: LogPosition
    /// The newest change set of the entries up to there.
    package var sequence: UInt64

    package init(applied: LogPosition, sequence: UInt64) {
        self.applied = applied
        self.sequence = sequence
    }

    /// Returns the state after an entry.
    package func after(_ entry: LogEntry) -> ReplicaState {
        ReplicaState(applied: entry.position, sequence: entry.content.changeSets.last?.sequence ?? sequence)
    }

    private static let format: UInt8 = 1

    /// Reads the bytes of the metadata.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    package init(_ bytes: [UInt8]) throws(StoreError) {
        do throws(CodecError) {
            var reader = unsafe ByteReader(bytes.span.bytes)
            let format = try reader.read(UInt8.self)
            guard format == Self.format else { throw CodecError("it has the format \(format)") }
            applied = try LogPosition(from: &reader)
            sequence = try reader.read()
            guard reader.isAtEnd else { throw CodecError("it has \(reader.remaining) bytes too many") }
        } catch {
            throw StoreError(error, at: "the replica's position in its log")
        }
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 48)
        writer.append(byte: Self.format)
        applied.encode(to: &writer)
        writer.append(sequence)
        return writer.array()
    }
}
