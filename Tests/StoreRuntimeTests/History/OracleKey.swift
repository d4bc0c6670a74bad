import LMDB
import StoreEngine

/// The truncated forms of keys, computed independently of the engine.
enum OracleKey {
    static func record(_ whole: [UInt8]) -> [UInt8] { whole.count <= 255 ? whole : cut(whole, to: 255) }

    static func indexValue(_ whole: [UInt8]) -> (bytes: [UInt8], isTruncated: Bool) {
        if whole.count < 256 { return (whole, false) }
        return (cut(whole.count == 256 ? whole + [0] : whole, to: 256), true)
    }

    private static func cut(_ whole: [UInt8], to count: Int) -> [UInt8] {
        let first = unsafe XXH64.hash(whole.span.bytes)
        let second = unsafe XXH64.hash(whole.span.bytes, seed: 0x9E37_79B9_7F4A_7C15)
        return whole.prefix(count - 16) + KeyBytes.little(first).reversed() + KeyBytes.little(second).reversed()
    }
}
