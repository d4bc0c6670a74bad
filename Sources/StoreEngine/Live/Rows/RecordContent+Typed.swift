extension RecordContent {
    /// Creates the content of a record as the store would hold it, except for the incarnation. Returns nil where the store has
    /// fields that `R` does not declare.
    package convenience init?<R: Record>(_ record: R, _ binding: TypedBinding) throws(CodecError) {
        guard binding.undeclared.isEmpty else { return nil }
        var encoder = FieldEncoder.forRecords()
        encoder.begin(fieldCount: binding.type.type.fields.count)
        try record.encode(to: &encoder)
        if let order = binding.declaredByFieldIndex { try encoder.reorder(order, filling: binding.insertedBytes) }
        try encoder.finish()
        encoder.seal(schemaVersion: binding.type.type.version, incarnation: 0)
        self.init(encoder.bytes.array())
    }

    /// Returns the decoded record. The first call decodes it, and later calls return the same value.
    ///
    /// - Throws: ``StoreError``: `valueDoesNotFit`, `damaged`.
    package func record<R: Record>(_ type: R.Type, _ binding: TypedBinding) throws(StoreError) -> R {
        do throws(CodecError) {
            let form = try decoded { () throws(CodecError) in DecodedContent(try decode(type, binding)) }
            if let record = form.value as? R { return record }
            // Another Swift type for the same records was decoded first.
            return try decode(type, binding)
        } catch {
            throw unreadable(error, binding)
        }
    }

    /// Returns the decoded record, without keeping it for later calls.
    ///
    /// - Throws: ``StoreError``: `valueDoesNotFit`, `damaged`.
    package func freshRecord<R: Record>(_ type: R.Type, _ binding: TypedBinding) throws(StoreError) -> R {
        if let record = kept?.value as? R { return record }
        do {
            return try decode(type, binding)
        } catch {
            throw unreadable(error, binding)
        }
    }

    /// Returns the error for a record that cannot be decoded.
    func unreadable(_ error: CodecError, _ binding: TypedBinding) -> StoreError {
        let bytes = bytes
        return unsafe StoreError(
            unreadable: bytes.span.bytes, of: binding.type.type, binding.naming(error),
            at: "a record of \(binding.type.name)")
    }

    private func decode<R: Record>(_ type: R.Type, _ binding: TypedBinding) throws(CodecError) -> R {
        let bytes = bytes
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        return try R(from: FieldDecoder(record.table, slots: binding.fieldIndexesByDeclared))
    }

    /// Creates the content from the bytes of a record in a snapshot, in the form of the newest version.
    package convenience init(_ bytes: RawSpan, of type: OpenType) throws(CodecError) {
        let record = try RecordBytes(bytes)
        let newest = try type.withNewest(record) { (newest) throws(CodecError) in newest.bytes.array() }
        self.init(newest)
    }
}
