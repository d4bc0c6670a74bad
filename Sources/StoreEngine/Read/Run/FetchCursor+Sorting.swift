/// Sorting records where the walk does not give the order.
extension FetchCursor {
    /// Finds all records and sorts their keys.
    @_lifetime(self: copy self)
    mutating func sort() throws(StoreError) {
        // For distinct rows, the number of records to find is not known.
        let capacity = plan.distinct == nil ? plan.wanted : .max
        var found = SortedKeys(capacity: capacity, isIDDescending: plan.order.last?.isDescending ?? false)
        var sortKey = ByteWriter(capacity: 64)
        let firstWord = SortWord(plan.order[0])
        // A plain walk needs no tests for each record, because every record is wanted.
        let isPlainWalk = hasPlainWalk && !readsAhead
        while isPlainWalk ? try step() : try find() {
            do {
                let table = try RecordBytes.table(of: currentRecord)
                let word = try firstWord(table, scratch: &sortKey)
                // In a large result, most records come after all those that are kept.
                if word > found.greatestWord { continue }
                try makeSortKey(table, &sortKey)
                found.add(
                    word: word, sortKey: sortKey, recordKey: currentKey, longID: try type.longID(of: table, currentKey))
            } catch {
                throw failed(error)
            }
        }
        setPending(found.finish())
        (isSorted, isGathered, isTested) = (true, true, true)
    }

    private func makeSortKey(_ table: FieldTable, _ sortKey: inout ByteWriter) throws {
        sortKey.removeAll()
        for number in plan.order.indices { try plan.order[number].append(table, scope, to: &sortKey) }
    }

    /// Sorts the pending records by their fields.
    @_lifetime(self: copy self)
    mutating func sortPending() throws(StoreError) {
        var found = SortedKeys(capacity: .max, isIDDescending: plan.order.last?.isDescending ?? false)
        var sortKey = ByteWriter(capacity: 512)
        for number in 0..<pendingCount {
            try fetchPending(number)
            do {
                let table = try RecordBytes(unverified: currentRecord).table
                try makeSortKey(table, &sortKey)
                found.add(
                    word: 0, sortKey: sortKey, recordKey: currentKey, longID: try type.longID(of: table, currentKey))
            } catch {
                throw failed(error)
            }
        }
        setPending(found.finish())
    }
}
