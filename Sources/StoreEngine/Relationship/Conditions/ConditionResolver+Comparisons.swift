/// The records whose fields a comparison names.
enum ComparedFields {
    /// The record itself.
    case own
    /// One record that the record refers to. Holds the step to that record, and the comparison with names relative to it.
    case behind(ReferenceStep, ConditionNode)
    /// Several records.
    case apart
}

// Comparisons of fields with fields, and of calculations.
extension ConditionResolver {
    /// Returns which records have the fields that a comparison names.
    func fields(in comparison: ConditionNode, _ subject: Subject) -> ComparedFields {
        var rests: [FieldName: FieldName] = [:]
        var common: ReferenceStep?
        let names = comparison.fieldNames
        for name in names {
            guard let step = step(name, subject), common == nil || common?.field == step.field else { continue }
            common = step
            rests[name] = step.rest
        }
        guard let common else { return .own }
        guard names.allSatisfy({ rests[$0] != nil }) else { return .apart }
        return .behind(common, comparison.renamingFields { rests[$0] ?? $0 })
    }

    /// Returns whether a comparison of a record's fields holds where the record does not exist.
    func holdsForNothing(_ comparison: ConditionNode, _ typeIndex: Int, _ hops: Int) throws(StoreError) -> Bool {
        let type = catalog.types[typeIndex]
        let joined = try JoinedComparison(comparison, of: type, behind: hops, in: catalog)
        do throws(CodecError) {
            return try joined.holdsForNothing()
        } catch {
            throw StoreError(error, at: "a comparison of fields of \(type.name)")
        }
    }

    /// Finds the records for which a comparison of their fields with fields of other records holds. Reads each record.
    ///
    /// - Parameter candidates: the records to test; nil for all records of the type.
    mutating func find(
        _ comparison: ConditionNode, _ typeIndex: Int, _ hops: Int, _ candidates: CandidateRecords?
    ) throws(StoreError) -> FoundRecords {
        let type = catalog.types[typeIndex]
        let joined = try JoinedComparison(comparison, of: type, behind: hops, in: catalog)
        var request = Request()
        if let candidates, forcedSearch != .fromReferrers { request.condition = candidates.condition }
        var cursor = try scope.fetchCursor(request, typeIndex: typeIndex)
        var encoder = FieldEncoder()
        var keys: Set<[UInt8]> = []
        while try cursor.advance() {
            do {
                guard try joined.holds(RecordBytes(cursor.record).table, scope, with: &encoder) else { continue }
                keys.insert(try Referrers.idKey(of: cursor.record, type))
            } catch {
                throw cursor.failed(error)
            }
        }
        lookups.append(
            ConditionLookup("walk all \(type.name)", comparison, scanned: cursor.scannedCount, found: keys.count))
        return FoundRecords(keys: keys, isExcluded: false, text: comparison.text)
    }
}
