// The typed interface for writing. Encoding is inlinable, so that the compiler specializes it for the record type at the call.
// The later steps work on encoded fields, and are shared with dynamic records.
extension WriteTransaction {
    /// Inserts a record.
    ///
    /// - Returns: the record as stored, with the id that the store assigned and the defaults that the transaction filled in.
    /// - Throws: ``StoreError``: `recordExists` when a record with this id exists; `uniqueViolation` when another record has the
    ///   same value in a unique index; `tooLarge`. Nothing has changed then.
    @inlinable
    @discardableResult
    public mutating func insert<R: Record>(_ record: R) throws(StoreError) -> R {
        let binding = try encode(record)
        return try store(binding, mode: .insert) ? try decodeEncoded(binding) : record
    }

    /// Inserts a record, or replaces the record with the same id.
    ///
    /// - Returns: the record as stored.
    /// - Throws: ``StoreError``: `uniqueViolation`, `tooLarge`. Nothing has changed then.
    @inlinable
    @discardableResult
    public mutating func upsert<R: Record>(_ record: R) throws(StoreError) -> R {
        let binding = try encode(record)
        return try store(binding, mode: .upsert) ? try decodeEncoded(binding) : record
    }

    /// Replaces the record with this record's id.
    ///
    /// - Throws: ``StoreError``: `recordNotFound`, `uniqueViolation`, `tooLarge`. Nothing has changed then.
    @inlinable
    public mutating func update<R: Record>(_ record: R) throws(StoreError) {
        let binding = try encode(record)
        _ = try store(binding, mode: .update)
    }

    /// Replaces the record with this record's id, if the stored record is still equal to `original`.
    ///
    /// The store compares encodings and does not use the record's `==`. A NaN equals itself, and "é" differs from the same
    /// character in another normal form.
    ///
    /// - Throws: ``StoreError``: `conditionNotMet` when the stored record differs from `original` or is missing; otherwise as
    ///   ``update(_:)``. Nothing has changed then.
    @inlinable
    public mutating func update<R: Record>(_ record: R, ifUnchanged original: R) throws(StoreError) {
        guard Sameness.haveOneKey(R._key(of: record.recordID), R._key(of: original.recordID)) else {
            throw WriteTransaction.idChanged(R.recordSchema.name)
        }
        try requireUnchanged(original)
        try update(record)
    }

    /// Changes the record with this id through `change`.
    ///
    /// - Returns: the record as stored.
    /// - Throws: any error that the closure throws; ``StoreError``: `recordNotFound`; `invalidValue` when `change` changed the
    ///   id; `uniqueViolation`; `tooLarge`. Nothing has changed then.
    @inlinable
    @discardableResult
    public mutating func update<R: Record>(
        _ type: R.Type, id: R.ID, _ change: (inout R) throws -> Void
    ) throws -> R {
        guard let record = try get(type, id: id) else {
            throw WriteTransaction.notFound(R.recordSchema.name, id: R._key(of: id))
        }
        return try replace(record, change)
    }

    /// Changes the record with this id through `change`, if it meets a condition.
    ///
    /// - Returns: the record as stored.
    /// - Throws: any error that the closures throw; ``StoreError``: `conditionNotMet` when the record does not meet the condition
    ///   or is missing; otherwise as ``update(_:id:_:)``. Nothing has changed then.
    @inlinable
    @discardableResult
    public mutating func update<R: Record>(
        _ type: R.Type, id: R.ID, where condition: (R) throws -> Bool, file: StaticString = #fileID,
        line: UInt = #line, _ change: (inout R) throws -> Void
    ) throws -> R {
        try replace(getMeeting(condition, (file, line), type, id: id), change)
    }

    @inlinable
    mutating func replace<R: Record>(_ old: R, _ change: (inout R) throws -> Void) throws -> R {
        var record = old
        try change(&record)
        guard Sameness.haveOneKey(R._key(of: record.recordID), R._key(of: old.recordID)) else {
            throw WriteTransaction.idChanged(R.recordSchema.name)
        }
        let binding = try encode(record)
        return try store(binding, mode: .update) ? try decodeEncoded(binding) : record
    }

    /// Returns the record with this id, if it meets a condition.
    @inlinable
    borrowing func getMeeting<R: Record>(
        _ condition: (R) throws -> Bool, _ line: (file: StaticString, line: UInt), _ type: R.Type, id: R.ID
    ) throws -> R {
        let found = try get(type, id: id)
        if let found, try condition(found) { return found }
        throw conditionNotMet(type, id: id, isFound: found != nil) { unmet(line, found) }
    }

    /// Deletes the record with this id.
    ///
    /// - Returns: whether the record existed.
    /// - Throws: ``StoreError``. Nothing has changed then.
    @inlinable
    @discardableResult
    public mutating func delete<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> Bool {
        try deleteRecord(type, id: id)
    }

    /// Deletes the record with this id, if it meets a condition.
    ///
    /// - Throws: any error that the closure throws; ``StoreError``: `conditionNotMet` when the record does not meet the condition
    ///   or is missing. Nothing has changed then.
    @inlinable
    public mutating func delete<R: Record>(
        _ type: R.Type, id: R.ID, where condition: (R) throws -> Bool, file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        _ = try getMeeting(condition, (file, line), type, id: id)
        try deleteRecord(type, id: id)
    }

    @available(
        *, unavailable,
        message: """
            name the type and the id, as in delete(Sensor.self, id: sensor.id), or write delete(ifUnchanged: sensor)
            """
    )
    /// Unavailable: the call does not say whether to delete the record if it has changed since the program read it.
    public mutating func delete<R: Record>(_ record: R) throws(StoreError) {}

    /// Deletes a record, if the stored record is still equal to it. The store compares encodings and does not use the record's
    /// `==`.
    ///
    /// - Throws: ``StoreError``: `conditionNotMet` when the stored record differs or is missing.
    @inlinable
    public mutating func delete<R: Record>(ifUnchanged record: R) throws(StoreError) {
        try requireUnchanged(record)
        try deleteRecord(R.self, id: record.recordID)
    }

    @inlinable
    @discardableResult
    mutating func deleteRecord<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> Bool {
        var key = ByteWriter(capacity: 64)
        R._key(of: id).encodeKey(to: &key)
        // Two long ids may have the same truncated key, so the id itself is compared.
        if ReadContext.isTruncated(key), try !contains(type, id: id) { return false }
        return try delete(typeIndex(R.self), key: key.bytes)
    }

    @inlinable
    borrowing func requireUnchanged<R: Record>(_ original: R) throws(StoreError) {
        guard try _reading.holds(original) else {
            let found = try get(R.self, id: original.recordID)
            throw conditionNotMet(R.self, id: original.recordID, isFound: found != nil) {
                differing(from: original, found)
            }
        }
    }

    /// Encodes a record into the encoder, except for the last steps.
    @inlinable
    mutating func encode<R: Record>(_ record: R) throws(StoreError) -> TypedBinding {
        let binding = try beginEncoding(R.self)
        do {
            try record.encode(to: &encoder)
        } catch {
            throw WriteTransaction.notEncodable(binding, error)
        }
        return binding
    }

    @usableFromInline
    mutating func beginEncoding<R: Record>(_ type: R.Type) throws(StoreError) -> TypedBinding {
        let binding = try state.catalog.binding(type)
        encoder.begin(fieldCount: binding.type.type.fields.count)
        return binding
    }

    /// Completes the record in the encoder and stores it.
    ///
    /// - Returns: whether the stored record may differ from the given one.
    @usableFromInline
    mutating func store(_ binding: TypedBinding, mode: WriteMode) throws(StoreError) -> Bool {
        do {
            if let order = binding.declaredByFieldIndex { try encoder.reorder(order, filling: binding.insertedBytes) }
            try encoder.finish()
        } catch {
            throw WriteTransaction.notEncodable(binding, error)
        }
        try put(binding.typeIndex, mode: mode, keeping: binding.undeclared)
        return binding.hasGeneratedFields
    }

    @inlinable
    func decodeEncoded<R: Record>(_ binding: TypedBinding) throws(StoreError) -> R {
        do {
            return try R(from: encodedDecoder(binding))
        } catch {
            throw WriteTransaction.notEncodable(binding, error)
        }
    }

    @usableFromInline
    @_lifetime(borrow self)
    func encodedDecoder(_ binding: TypedBinding) throws(CodecError) -> FieldDecoder {
        FieldDecoder(try FieldTable(encoder.tableBytes), slots: binding.fieldIndexesByDeclared)
    }

    @usableFromInline
    borrowing func typeIndex<R: Record>(_ type: R.Type) throws(StoreError) -> Int {
        try state.catalog.binding(type).typeIndex
    }

    /// Returns the encoded fields of a record, for comparison with those of another record.
    static func encoding<R: Record>(of record: R, _ binding: TypedBinding) throws(StoreError) -> FieldEncoder {
        do {
            return try Sameness.encoding(of: record)
        } catch {
            throw notEncodable(binding, error)
        }
    }

    @usableFromInline
    static func notEncodable(_ binding: TypedBinding, _ error: CodecError) -> StoreError {
        let error = binding.naming(error)
        return StoreError(
            .invalidValue, "a record of \(binding.type.name) cannot be encoded: \(error)", remedy: error.remedy,
            cause: error)
    }

    @usableFromInline
    static func notFound(_ type: String, id: any IndexableValue) -> StoreError {
        StoreError(
            .recordNotFound, "there is no \(type) with the id \(text(of: id))",
            remedy: "insert it first, or use upsert")
    }

    /// Returns the error for a record that is missing, or is not as a conditional write expects.
    ///
    /// - Parameter condition: returns what does not hold for the record.
    @usableFromInline
    borrowing func conditionNotMet<R: Record>(
        _ type: R.Type, id: R.ID, isFound: Bool, _ condition: () -> String
    ) -> StoreError {
        let name = "\(R.recordSchema.name) with the id \(WriteTransaction.text(of: R._key(of: id)))"
        guard isFound else {
            return StoreError(
                .conditionNotMet, "there is no \(name), so the condition does not hold",
                remedy: "insert the record first")
        }
        return StoreError(
            .conditionNotMet, "the \(name) \(condition())", remedy: "read the record again and retry")
    }

    /// Returns the text for a record that does not meet the condition in a line, with the record.
    @usableFromInline
    borrowing func unmet<R: Record>(_ line: (file: StaticString, line: UInt), _ found: R?) -> String {
        let text = found.flatMap { json(of: $0) }.map { ": it is \(RecordText.shortened(JSONWriter.text(of: $0)))" }
        return "does not meet the condition at \(line.file):\(line.line)\(text ?? "")"
    }

    /// The most fields that the error for a changed record names.
    private static var namedFieldCount: Int { 3 }

    /// Returns how a stored record differs from the one that a write expects.
    @usableFromInline
    borrowing func differing<R: Record>(from original: R, _ found: R?) -> String {
        guard let found, let old = json(of: original), let new = json(of: found) else { return "has changed" }
        let changes = R.recordSchema.fields.map(\.name).compactMap { name -> String? in
            let (before, after) = (old[name] ?? .null, new[name] ?? .null)
            if before == after { return nil }
            let texts = [after, before].map { RecordText.shortened(JSONWriter.text(of: $0)) }
            return "\(name) is \(texts[0]), not \(texts[1])"
        }
        let more = changes.count - WriteTransaction.namedFieldCount
        let named = changes.prefix(WriteTransaction.namedFieldCount).joined(separator: ", ")
        return "has changed, \(named)\(more > 0 ? " and \(more) more" : "")"
    }

    /// Returns a record as a JSON object; nil if the program does not know all its fields.
    private borrowing func json<R: Record>(of record: R) -> JSONValue? {
        guard let binding = try? state.catalog.binding(R.self), let content = try? RecordContent(record, binding) else {
            return nil
        }
        let bytes = content.bytes
        return unsafe try? DynamicRecord(unverified: bytes.span.bytes, of: binding.type).json(binding.type.type)
    }

    /// Returns an id in the form that all messages use. It avoids the id's own description, because Foundation traps on the
    /// description of a date that is not a number.
    private static func text<ID: IndexableValue>(of id: ID) -> String {
        do {
            let bytes = try id.encoded()
            return unsafe try DynamicValue(from: bytes.span.bytes, as: ID.fieldType).text
        } catch {
            return "?"
        }
    }

    @usableFromInline
    static func idChanged(_ type: String) -> StoreError {
        StoreError(
            .invalidValue, "an update must not change the id of \(type)",
            remedy: "delete the record and insert one with the new id")
    }
}
