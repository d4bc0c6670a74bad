import Foundation
import StoreEngine

/// One field of a record in the oracle. Its encodings follow the format's description and share no code with the codec under
/// test.
indirect enum Cell: Hashable {
    case text(String)
    /// An integer and its width in bytes.
    case signed(Int64, Int)
    case unsigned(UInt64, Int)
    case double(Double)
    case data([UInt8])
    case texts([String])
    case uuid(UUID)
    case none
    case some(Cell)

    /// The bytes of the field in a record.
    var bytes: [UInt8] {
        switch self {
        case .text(let value): Array(value.utf8)
        case .signed(let value, let width): Cell.little(UInt64(bitPattern: value), width)
        case .unsigned(let value, let width): Cell.little(value, width)
        case .double(let value): Cell.little(value.bitPattern, 8)
        case .data(let value): value
        case .texts(let values): values.flatMap { Cell.length($0.utf8.count) + Array($0.utf8) }
        case .uuid(let value): unsafe withUnsafeBytes(of: value.uuid) { unsafe Array($0) }
        case .none: []
        case .some(let value): [1] + value.bytes
        }
    }

    /// The bytes of the field in a key.
    var key: [UInt8] {
        switch self {
        case .text(let value): Array(value.utf8).flatMap { $0 == 0 ? [0, 0xFF] : [$0] } + [0, 1]
        case .signed(let value, let width):
            Cell.big(UInt64(bitPattern: value) ^ (1 << UInt64(8 * width - 1)), width)
        case .unsigned(let value, let width): Cell.big(value, width)
        case .double(let value):
            if value.isNaN {
                Cell.big(.max, 8)
            } else if value < 0 {
                Cell.big(~value.bitPattern, 8)
            } else {
                Cell.big(value.magnitude.bitPattern | 1 << 63, 8)
            }
        case .none: [0]
        case .some(let value): [1] + value.key
        case .data, .texts, .uuid: []
        }
    }

    var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    static func optional(_ value: Cell?) -> Cell { value.map { .some($0) } ?? .none }

    private static func little(_ value: UInt64, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    private static func big(_ value: UInt64, _ width: Int) -> [UInt8] { little(value, width).reversed() }

    private static func length(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [UInt8(count & 127) | 128] + length(count >> 7)
    }
}
