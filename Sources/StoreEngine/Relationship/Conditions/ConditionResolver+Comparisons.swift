/// Whose fields a comparison is of.
enum ComparedFields {
    /// The record's own.
    case own
    /// Those of one record that it refers to, and what is compared there.
    case behind(ReferenceStep, ConditionNode)
    /// Those of several records.
    case apart
}

// Comparisons of fields with fields, and of calculations.
extension ConditionResolver {
    /// Whose fields a comparison names.
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

    /// Whether a comparison of fields of a record holds where there is no such record.
    func holdsForNothing(_ comparison: ConditionNode, _ typeIndex: Int, _ hops: Int) throws(StoreError) -> Bool {
        let type = catalog.types[typeIndex]
        let joined = try JoinedComparison(comparison, of: type, behind: hops, in: catalog)
        do throws(CodecError) {
            return try joined.holdsForNothing()
        } catch {
            throw StoreError(error, at: "a comparison of fields of \(type.name)")
        }
    }

    /// Finds the records for which a comparison of their fields with those of others holds, by a look at each.
    ///
    /// - Parameter candidates: the only records that matter; nil where all do.
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
            ConditionLookup("go over \(type.name)", comparison, scanned: cursor.scannedCount, found: keys.count))
        return FoundRecords(keys: keys, isExcluded: false, text: comparison.text)
    }
}
