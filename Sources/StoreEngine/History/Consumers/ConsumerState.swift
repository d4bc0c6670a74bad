package import Foundation

/// A named consumer of the feed, as stored.
///
/// ```
/// u8   format, 1
/// u8   1 if it has expired, else 0
/// u32  number: the byte of the wake file that its active process locks
/// u64  generation
/// u64  epoch, u64 sequence number, u64 hash: the position up to which it has seen the feed
/// f64  time of creation, f64 time of the last move: seconds since 2001-01-01 UTC
/// u64  change sets, f64 seconds, u64 bytes by which it can hold back retention; 0 for none
/// u64  number of change sets that it skipped after a failure
/// ```
package struct ConsumerState: Hashable, Sendable {
    /// The byte of the wake file that its active process locks.
    package var number: UInt32
    /// Increases each time a reader takes the consumer over, and each time a program resets it. The initial value is arbitrary.
    package var generation: UInt64
    /// The position up to which the consumer has seen the feed.
    package var position: Position
    package var created: Date
    package var moved: Date
    package var lease: RetentionLease
    package var isExpired = false
    package var skippedCount: UInt64 = 0

    private static let format: UInt8 = 1

    package init(number: UInt32, generation: UInt64, position: Position, created: Date, lease: RetentionLease) {
        self.number = number
        self.generation = generation
        self.position = position
        self.created = created
        moved = created
        self.lease = lease
    }

    package init(from bytes: RawSpan, store: UUID) throws(CodecError) {
        var reader = ByteReader(bytes)
        let format = try reader.read(UInt8.self)
        guard format == ConsumerState.format else { throw CodecError("a consumer has the format \(format)") }
        isExpired = try reader.read(UInt8.self) != 0
        number = try reader.read()
        generation = try reader.read()
        let epoch: UInt64 = try reader.read()
        let sequence: UInt64 = try reader.read()
        guard sequence < .max else { throw CodecError("a consumer is at the change set \(sequence)") }
        position = Position(store: store, epoch: epoch, sequence: sequence, hash: try reader.read())
        created = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.read()))
        moved = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.read()))
        let count: UInt64 = try reader.read()
        let seconds = Double(bitPattern: try reader.read())
        lease = RetentionLease(
            changeSets: Int(clamping: count), age: RetentionLease.age(ofSeconds: seconds),
            byteCount: Int(clamping: try reader.read(UInt64.self)))
        skippedCount = try reader.read()
        guard reader.isAtEnd else { throw CodecError("a consumer has \(reader.remaining) bytes too many") }
    }

    package func encode(to writer: inout ByteWriter) {
        writer.append(byte: ConsumerState.format)
        writer.append(byte: isExpired ? 1 : 0)
        writer.append(number)
        writer.append(generation)
        writer.append(position.epoch)
        writer.append(position.sequence)
        writer.append(position.hash)
        writer.append(created.timeIntervalSinceReferenceDate.bitPattern)
        writer.append(moved.timeIntervalSinceReferenceDate.bitPattern)
        writer.append(UInt64(max(lease.changeSets, 0)))
        writer.append((lease.age / .seconds(1)).bitPattern)
        writer.append(UInt64(max(lease.byteCount, 0)))
        writer.append(skippedCount)
    }
}

/// Limits how far a consumer can hold back the retention of the feed. The store keeps change sets that the consumer has not seen
/// while all of these limits hold. Beyond any of them, the consumer expires.
public struct RetentionLease: Hashable, Sendable {
    /// The maximum number of change sets that the store keeps for the consumer. From 0 to 2^46.
    public var changeSets: Int
    /// The maximum age of a change set that the store keeps for the consumer. From zero to a century.
    public var age: Duration
    /// The maximum size of the feed in bytes while the store keeps change sets for the consumer. From 0 to 2^46.
    public var byteCount: Int

    /// Creates a lease with these limits.
    public init(changeSets: Int = 1_000_000, age: Duration = .seconds(7 * 86_400), byteCount: Int = 1 << 30) {
        self.changeSets = changeSets
        self.age = age
        self.byteCount = byteCount
    }

    /// No lease: change sets leave the feed whether or not the consumer has seen them.
    public static let none = RetentionLease(changeSets: 0, age: .zero, byteCount: 0)

    /// Whether the lease keeps any change sets.
    package var holds: Bool { changeSets > 0 && age > .zero && byteCount > 0 }

    /// Returns a stored age as a duration. Clamps seconds that exceed the range of a duration, about 292 billion years.
    static func age(ofSeconds seconds: Double) -> Duration {
        let longest = 9e18
        return .seconds(seconds.isNaN ? 0 : min(max(seconds, 0), longest))
    }
}
