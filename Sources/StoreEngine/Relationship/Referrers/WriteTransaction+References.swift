import LMDB

// Reference integrity. The transaction notes each missing record to which a new reference leads. It also notes each record that
// is deleted while records refer to it with the rule `deny`. It checks all of these again when the closure ends. The rules
// `nullify` and `cascade` act with the delete itself.
extension WriteTransaction {
    /// The maximum number of referrers that an error counts.
    private static let countedReferrers = 100

    /// Notes the records that do not exist and to which the record in `encoder` refers.
    ///
    /// - Parameter changed: the indexes of the fields that changed; nil for all fields.
    mutating func noteReferences(_ typeIndex: Int, changed: [Int]?) throws(StoreError) {
        let outgoing = state.catalog.references.outgoing[typeIndex]
        if outgoing.isEmpty { return }
        do {
            for reference in outgoing where reference.isChecked && changed?.contains(reference.fieldIndex) ?? true {
                for idKey in try Self.missing(reference, in: encoder, Referrers(raw.snapshot, state.catalog)) {
                    missingTargets.note(ReferenceTarget(type: reference.target, idKey: idKey), isDeleted: false)
                }
            }
        } catch {
            // The record has already been stored.
            throw refuse(failed(error, state.catalog.types[typeIndex]))
        }
    }

    /// Checks all references to the records of a type when the closure ends, after a rewrite of the type's records.
    package mutating func noteReferences(toTypeNamed name: String) throws(StoreError) {
        guard let target = state.catalog.typeIndex(named: name) else { return }
        for reference in state.catalog.references.incoming[target] where reference.isChecked {
            do {
                for idKey in try Referrers(raw.snapshot, state.catalog).missingTargets(of: reference) {
                    missingTargets.note(ReferenceTarget(type: target, idKey: idKey), isDeleted: true)
                }
            } catch {
                throw StoreError(reading: error, at: "a record of \(state.catalog.types[reference.source].name)")
            }
        }
    }

    /// Returns the untruncated keys of the ids that a field refers to, and for which no record exists.
    private static func missing(
        _ reference: OpenReference, in record: borrowing FieldEncoder, _ referrers: Referrers
    ) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var ids: [[UInt8]] = []
        let field = try FieldTable(record.tableBytes).field(reference.fieldIndex)
        var key = ByteWriter(capacity: 64)
        try reference.forEachID(in: field) { id throws(CodecError) in
            key.removeAll()
            try reference.component.append(id, to: &key)
            ids.append(key.array())
            return true
        }
        for idKey in ids {
            key.removeAll()
            key.append(idKey)
            if try !referrers.exists(idKey: &key, type: reference.target) { found.append(idKey) }
        }
        return found
    }

    /// Applies the delete rules to the records that refer to the record in `oldRecord`, which was just deleted. Does the same for
    /// each record that a rule deletes.
    mutating func followDelete(_ typeIndex: Int) throws(StoreError) {
        let references = state.catalog.references
        if references.incoming[typeIndex].isEmpty { return }
        do {
            // A list instead of recursion, because a chain may be as long as the store is large.
            var deleted = [try deletedTarget(typeIndex)]
            while let target = deleted.popLast() {
                for reference in references.incoming[target.type] {
                    switch reference.rule {
                    case .none: break
                    case .deny: try noteDenied(reference, target)
                    case .nullify: try nullify(reference, target)
                    case .cascade: try cascade(reference, target, to: &deleted)
                    }
                }
            }
        } catch {
            // The writes before the error have already been made.
            throw refuse(failed(error, state.catalog.types[typeIndex]))
        }
    }

    /// Returns the record in `oldRecord` as a target.
    private borrowing func deletedTarget(_ typeIndex: Int) throws -> ReferenceTarget {
        ReferenceTarget(
            type: typeIndex, idKey: try Referrers.idKey(of: oldRecord.bytes, state.catalog.types[typeIndex]))
    }

    private borrowing func referrers(
        _ reference: OpenReference, to target: ReferenceTarget, limit: Int = .max
    ) throws -> [[UInt8]] {
        try Referrers(raw.snapshot, state.catalog).keys(reference, to: target, limit: limit)
    }

    /// Notes the record in `oldRecord`, which was just deleted, if records still refer to it. The transaction checks the record
    /// again at the end of the write.
    mutating func noteDeletedTarget(_ typeIndex: Int) throws(StoreError) {
        let incoming = state.catalog.references.incoming[typeIndex]
        if incoming.isEmpty { return }
        do {
            let target = try deletedTarget(typeIndex)
            for reference in incoming where reference.isChecked { try noteDenied(reference, target) }
        } catch {
            throw refuse(failed(error, state.catalog.types[typeIndex]))
        }
    }

    private mutating func noteDenied(_ reference: OpenReference, _ target: ReferenceTarget) throws {
        if try !referrers(reference, to: target, limit: 1).isEmpty { missingTargets.note(target, isDeleted: true) }
    }

    private mutating func cascade(
        _ reference: OpenReference, _ target: ReferenceTarget, to deleted: inout [ReferenceTarget]
    ) throws {
        let hasReferrers = !state.catalog.references.incoming[reference.source].isEmpty
        for key in try referrers(reference, to: target) {
            recordKey.removeAll()
            recordKey.append(key)
            guard try deleteAlone(reference.source), hasReferrers else { continue }
            deleted.append(try deletedTarget(reference.source))
        }
    }

    private mutating func nullify(_ reference: OpenReference, _ target: ReferenceTarget) throws {
        let type = state.catalog.types[reference.source]
        for key in try referrers(reference, to: target) {
            recordKey.removeAll()
            recordKey.append(key)
            guard try copyStored(type) else { continue }
            try NullifiedRecord.encode(oldRecord, without: target, in: reference, to: &encoder)
            try replace(type, reference.source)
        }
    }

    /// Throws an error if a record refers to a record that does not exist. Called when the closure has ended.
    borrowing func requireTargets() throws {
        for target in missingTargets.all {
            if let error = try brokenTarget(target, isDeleted: missingTargets.isDeleted(target)) { throw error }
        }
    }

    /// Returns the error for a record that does not exist although others refer to it; nil if it exists, or if none refers to it.
    ///
    /// - Parameter isDeleted: whether this write deleted it.
    borrowing func brokenTarget(_ target: ReferenceTarget, isDeleted: Bool) throws -> StoreError? {
        let referrers = Referrers(raw.snapshot, state.catalog)
        if try referrers.exists(target) { return nil }
        for reference in state.catalog.references.incoming[target.type] where reference.isChecked {
            let keys = try referrers.keys(reference, to: target, limit: Self.countedReferrers + 1)
            guard let first = keys.first else { continue }
            return try broken(reference, target, first, count: keys.count, isDeleted: isDeleted, referrers)
        }
        return nil
    }

    private borrowing func broken(
        _ reference: OpenReference, _ target: ReferenceTarget, _ key: [UInt8], count: Int, isDeleted: Bool,
        _ referrers: Referrers
    ) throws -> StoreError {
        let source = state.catalog.types[reference.source]
        let name = state.catalog.types[target.type].name
        let id = try referrers.text(of: reference, in: key, to: target) ?? "?"
        let referrer = try referrers.text(ofRecord: key, type: reference.source)
        let field = source.type.fields[reference.fieldIndex].name
        guard isDeleted else {
            return StoreError(
                .referenceBroken,
                "\(source.name).\(field) of \(referrer) refers to the \(name) \(id), which does not exist",
                remedy: "insert that \(name) in the same write, or refer to another")
        }
        if count == 1 {
            return StoreError(
                .deleteDenied,
                "the \(name) \(id) cannot be deleted: the \(source.name) \(referrer) refers to it by \(field)",
                remedy: "delete that too in the same write, or let it refer to another")
        }
        let others = count > Self.countedReferrers ? "more than \(Self.countedReferrers)" : "\(count)"
        return StoreError(
            .deleteDenied,
            "the \(name) \(id) cannot be deleted: \(others) records of \(source.name) refer to it by \(field), such as "
                + referrer,
            remedy: "delete these too in the same write, or let them refer to another")
    }
}
