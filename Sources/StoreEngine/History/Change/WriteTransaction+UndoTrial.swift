import LMDB

// Finding out which changes of a change set can be undone, by undoing them in a child transaction that is thrown away.
extension WriteTransaction {
    /// Finds all changes that cannot be undone, for any reason.
    ///
    /// Skipping a change may keep another one from being undone, for example if the other one needs a unique value that the first
    /// would have given up. So trials follow each other until one succeeds.
    mutating func findAllConflicts(with changes: UndoneChanges) throws(StoreError) -> FoundConflicts {
        var found = try findConflicts(with: changes, limit: .max)
        while true {
            let refused = try tryUndo(changes, except: found.changeIndexes)
            if refused.isEmpty { return found }
            try forEachInversion(of: changes, except: found.changeIndexes) {
                (tx: inout WriteTransaction, inversion: ChangeInversion, changeIndex: Int) throws(StoreError) in
                guard let error = refused[changeIndex] else { return }
                found.listed.append(
                    try tx.conflict(inversion, .refused(error.code, message: "stays: \(error.message)")))
            }
            found.changeIndexes = (found.changeIndexes + refused.keys).sorted()
        }
    }

    /// Undoes changes in a child transaction, which it then aborts.
    ///
    /// - Returns: the errors that keep changes from being undone, by the array indexes of the changes.
    private mutating func tryUndo(
        _ changes: UndoneChanges, except skipped: [Int]
    ) throws(StoreError) -> [Int: StoreError] {
        let child: LMDBWriteTransaction
        do {
            child = try raw.beginChild()
        } catch {
            throw fail(error)
        }
        var trial = WriteTransaction(raw: child, state: state, head: head, context: context)
        var refused: [Int: StoreError]? = [:]
        do {
            try trial.invert(changes, except: skipped, refused: &refused)
            try trial.findBroken(changes, except: skipped, &refused)
        } catch {
            throw refuse(error)
        }
        return refused ?? [:]
    }

    /// Finds the undone changes that leave a reference to a record that does not exist.
    private mutating func findBroken(
        _ changes: UndoneChanges, except skipped: [Int], _ refused: inout [Int: StoreError]?
    ) throws(StoreError) {
        var broken: [Int: StoreError] = [:]
        try forEachInversion(of: changes, except: skipped) {
            (tx: inout WriteTransaction, inversion: ChangeInversion, changeIndex: Int) throws(StoreError) in
            let error: StoreError?
            do {
                error = inversion.deletes ? try tx.denied(inversion) : try tx.brokenReference(of: inversion)
            } catch {
                throw StoreError(reading: error, at: "a record of \(inversion.type.name)")
            }
            if let error { broken[changeIndex] = error }
        }
        refused?.merge(broken) { first, _ in first }
    }

    /// Returns the error for a restored record that refers to a missing one; nil if it refers to none.
    private mutating func brokenReference(of inversion: ChangeInversion) throws -> StoreError? {
        let outgoing = state.catalog.references.outgoing[inversion.typeIndex].filter(\.isChecked)
        guard !outgoing.isEmpty, try load(inversion) else { return nil }
        let referrers = Referrers(raw.snapshot, state.catalog)
        for reference in outgoing {
            let ids = try Referrers.idKeys(
                of: reference, in: RecordBytes(unverified: oldRecord.bytes), of: inversion.type)
            for id in ids where try !referrers.exists(ReferenceTarget(type: reference.target, idKey: id)) {
                return try brokenTarget(ReferenceTarget(type: reference.target, idKey: id), isDeleted: false)
            }
        }
        return nil
    }

    /// Returns the error for a deleted record to which others refer; nil if none does.
    private mutating func denied(_ inversion: ChangeInversion) throws -> StoreError? {
        let key = try unsafe Referrers.idKey(of: inversion.change.record.span.bytes, inversion.type)
        return try brokenTarget(ReferenceTarget(type: inversion.typeIndex, idKey: key), isDeleted: true)
    }
}
