extension Request {
    /// A hash of all that decides which records are in the result and in which order: the same in every process.
    ///
    /// - Parameter type: the record type.
    package func resultFingerprint(_ type: OpenType, in catalog: Catalog) -> UInt64 {
        let text = "\(fingerprint(type, in: catalog)) \(limit.map(String.init) ?? "all") \(offset)"
        return unsafe XXH64.hash(Array(text.utf8).span.bytes, seed: 0)
    }
}
