extension RecordContent {
    /// Returns the record without its Swift type.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    package func dynamicRecord(of type: OpenType) throws(StoreError) -> DynamicRecord {
        let bytes = bytes
        do {
            return try unsafe DynamicRecord(unverified: bytes.span.bytes, of: type)
        } catch {
            throw StoreError(error, at: "a record of \(type.name)")
        }
    }
}
