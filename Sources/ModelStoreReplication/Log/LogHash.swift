import LMDB
package import StoreEngine

/// A hash that chains an entry of a log to all entries before it: 128 bits, from two runs of XXH64 with different seeds.
///
/// It detects accidents and gives no protection against forgery.
public struct LogHash: Hashable, Sendable, CustomStringConvertible {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits.
    public let low: UInt64

    /// The hash before the first entry.
    public static let zero = LogHash(high: 0, low: 0)

    /// Creates a hash from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns the hash of bytes that come after `previous`.
    init(_ bytes: [UInt8], after previous: LogHash) {
        high = unsafe XXH64.hash(bytes.span.bytes, seed: previous.high)
        low = unsafe XXH64.hash(bytes.span.bytes, seed: ~previous.low)
    }

    package init(from reader: inout ByteReader) throws(CodecError) {
        high = try reader.read()
        low = try reader.read()
    }

    package func encode(to writer: inout ByteWriter) {
        writer.append(high)
        writer.append(low)
    }

    /// 32 hexadecimal digits.
    public var description: String {
        [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }
}
