/// A change of one record from a trace: the state to give the record, in the form of the newest schema.
package struct AppliedChange: Sendable {
    package enum Content: Sendable {
        /// Insert a record with these fields.
        case insert([DynamicValue])
        /// Set some fields of the record with this id, which has one value for each of its fields.
        case update(id: [DynamicValue], fields: [(fieldIndex: Int, value: DynamicValue)])
        /// Delete the record with this id.
        case delete(id: [DynamicValue])
    }

    /// The number of the record type.
    package let type: UInt32
    package let content: Content

    package init(type: UInt32, _ content: Content) {
        self.type = type
        self.content = content
    }
}

// Applying a change set from another store.
extension WriteTransaction {
    /// Applies exactly the given changes. The rules for deleting a referenced record do not run here: they ran when the change
    /// set was made. The net changes of this closure come in the same order.
    ///
    /// - Throws: ``StoreError``: `recordNotFound`, `recordExists` when a record is not in the state that a change requires;
    ///   `unknownType`; `invalidValue`; `uniqueViolation` when the change set as a whole violates a unique index. If a reference
    ///   would lead to no record, the end of the write throws.
    package mutating func apply(_ applied: [AppliedChange]) throws(StoreError) {
        var held = HeldBackRecords()
        for change in applied {
            guard let typeIndex = state.catalog.typeIndex(ofID: change.type) else { throw Self.unknown(change.type) }
            let type = state.catalog.types[typeIndex]
            switch change.content {
            case .insert(let values):
                try encode(values, of: type)
                try put(typeIndex, mode: .insert, holdingBack: &held)
            case .update(let id, let fields):
                try load(id, of: type, typeIndex)
                guard try copyStored(type) else { throw gone(id, type) }
                try encodeStored(with: fields, of: type)
                try put(typeIndex, mode: .update, holdingBack: &held)
            case .delete(let id):
                try load(id, of: type, typeIndex)
                guard try deleteAlone(typeIndex) else { throw gone(id, type) }
                try noteDeletedTarget(typeIndex)
            }
        }
        for entry in held.entries { try put(entry) }
    }

    /// Applies a change set of the feed of another replica of this store. The feed of this store gets the same change set.
    ///
    /// The caller has opened the transaction with the time, the origin and the head of the change set.
    ///
    /// - Parameter entry: a change set without changes of the schema and resets.
    /// - Throws: ``StoreError``: as ``apply(_:)-swift.method``.
    package mutating func apply(_ entry: FeedEntry) throws(StoreError) {
        action = entry.action
        var held = HeldBackRecords()
        for change in entry.changes {
            guard let typeIndex = state.catalog.typeIndex(ofID: change.type) else { throw Self.unknown(change.type) }
            let type = state.catalog.types[typeIndex]
            switch change.kind {
            case .insert, .update:
                do {
                    try encoder.encode(fieldsOf: Array(change.record.dropFirst(RecordBytes.headerByteCount)))
                } catch {
                    throw StoreError(error, at: "a record of \(type.name)")
                }
                try put(typeIndex, mode: change.kind == .insert ? .insert : .update, holdingBack: &held)
            case .delete:
                recordKey.removeAll()
                recordKey.append(change.storedKey(type.type, type.keyHash))
                guard try deleteAlone(typeIndex) else {
                    throw StoreError(
                        .recordNotFound, "a change set deletes a record of \(type.name) that is not there",
                        remedy: Self.applyInOrder)
                }
                try noteDeletedTarget(typeIndex)
            default: throw StoreError(.other, "a change of the kind \(change.kind) is no change of a record")
            }
        }
        for entry in held.entries { try put(entry) }
    }

    private static let applyInOrder = "apply change sets in their order, to the state in which they were created"

    private static func unknown(_ type: UInt32) -> StoreError {
        StoreError(
            .unknownType, "a change is of a record of the type \(type), which the store lacks", remedy: applyInOrder)
    }

    /// Stores a record from before the beginning of a trace, with its original incarnation. The closure writes no change set, and
    /// the targets of the record's references may be stored later.
    ///
    /// - Throws: ``StoreError``, as an insert does.
    package mutating func seed(
        _ values: [DynamicValue], typeIndex: Int, incarnation: UInt64
    ) throws(StoreError) {
        seededIncarnation = incarnation
        didKeepHouse = true
        try encode(values, of: state.catalog.types[typeIndex])
        try put(typeIndex, mode: .insert)
    }

    /// Makes this closure write no change set, so that readers of the feed, live results and consumers never receive its inserts.
    /// Use it only to measure the cost of the feed.
    @_spi(Measuring)
    public mutating func leaveOutOfFeed() {
        seededIncarnation = incarnation
        didKeepHouse = true
    }

    private mutating func encode(_ values: [DynamicValue], of type: OpenType) throws(StoreError) {
        do {
            try encoder.encode(DynamicRecord(values: values), of: type)
        } catch {
            throw StoreError(.invalidValue, "\(type.name).\(error.reason)", cause: error)
        }
    }

    /// Writes the key of an id to `recordKey`.
    private mutating func load(_ id: [DynamicValue], of type: OpenType, _ typeIndex: Int) throws(StoreError) {
        recordKey.removeAll()
        try DynamicID.encodeKey(id, of: type, to: &recordKey)
        // Another long id may have the same truncated key.
        if recordKey.count > KeyLimit.recordKey, try _reading.dynamicRecord(id: id, typeIndex: typeIndex) == nil {
            throw gone(id, type)
        }
        KeyLimit.truncateRecordKey(&recordKey, type.keyHash)
    }

    /// Encodes the record in `oldRecord` with other values in some fields.
    private mutating func encodeStored(
        with fields: [(fieldIndex: Int, value: DynamicValue)], of type: OpenType
    ) throws(StoreError) {
        do {
            try Self.encode(oldRecord, with: fields, of: type, to: &encoder)
        } catch {
            throw StoreError(.invalidValue, "\(type.name).\(error.reason)", cause: error)
        }
    }

    // Static, so that one buffer can be read while the other is written.
    private static func encode(
        _ stored: borrowing ByteWriter, with fields: [(fieldIndex: Int, value: DynamicValue)], of type: OpenType,
        to encoder: inout FieldEncoder
    ) throws(CodecError) {
        let table = try RecordBytes(unverified: stored.bytes).table
        encoder.begin(fieldCount: table.count)
        for fieldIndex in 0..<table.count {
            guard let field = fields.first(where: { $0.fieldIndex == fieldIndex }) else {
                encoder.append(encoded: try table.field(fieldIndex))
                continue
            }
            var bytes = ByteWriter()
            do {
                try field.value.encode(as: type.type.fields[fieldIndex].type, to: &bytes)
            } catch {
                throw CodecError("\(type.type.fields[fieldIndex].name): \(error.reason)")
            }
            encoder.append(encoded: bytes.bytes)
        }
        try encoder.finish()
    }

    private func gone(_ id: [DynamicValue], _ type: OpenType) -> StoreError {
        let texts = zip(id, type.idParts).map { value, part in
            JSONWriter.text(of: value.json(as: type.type.fields[part.fieldIndex].type))
        }
        return StoreError(
            .recordNotFound, "there is no \(type.name) with the id \(texts.joined(separator: ", "))",
            remedy: Self.applyInOrder)
    }
}
