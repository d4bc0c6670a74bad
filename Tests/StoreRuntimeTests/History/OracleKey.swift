import LMDB
import StoreEngine
import TestSupport

/// The truncated forms of a store's keys, computed independently of the engine.
struct OracleKey {
    private let hashes: [SipHash]

    /// Reads the secret of the store.
    init(_ snapshot: LMDBSnapshot) throws {
        let secret = try snapshot.entries(of: "metadata").first { $0.key == Array("secret".utf8) }?.value ?? []
        func word(_ number: Int) -> UInt64 {
            secret[8 * number..<8 * number + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard secret.count == 40 else { throw Difference("the secret has \(secret.count) bytes") }
        hashes = [SipHash(low: word(0), high: word(1)), SipHash(low: word(2), high: word(3))]
    }

    func record(_ whole: [UInt8]) -> [UInt8] { whole.count <= 255 ? whole : cut(whole, to: 255) }

    func indexValue(_ whole: [UInt8]) -> (bytes: [UInt8], isTruncated: Bool) {
        if whole.count < 256 { return (whole, false) }
        return (cut(whole.count == 256 ? whole + [0] : whole, to: 256), true)
    }

    private func cut(_ whole: [UInt8], to count: Int) -> [UInt8] {
        whole.prefix(count - 16) + hashes.flatMap { unsafe KeyBytes.little($0.hash(whole.span.bytes)).reversed() }
    }
}
