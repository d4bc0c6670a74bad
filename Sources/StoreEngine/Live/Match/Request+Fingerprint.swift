import LMDB

extension Request {
    /// Returns a hash of everything that decides which records are in the result and in which order. It is the same in every
    /// process.
    ///
    /// - Parameter type: the record type.
    package func resultFingerprint(_ type: OpenType, in catalog: Catalog) -> UInt64 {
        let text = "\(fingerprint(type, in: catalog)) \(limit.map(String.init) ?? "all") \(offset)"
        return unsafe XXH64.hash(Array(text.utf8).span.bytes, seed: 0)
    }
}
