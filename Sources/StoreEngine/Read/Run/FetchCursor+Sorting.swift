/// Records in an order that the walk does not give.
extension FetchCursor {
    /// Finds all, and puts their keys in order.
    @_lifetime(self: copy self)
    mutating func sort() throws(StoreError) {
        // Of rows that count once it is not known how many must be found.
        let capacity = plan.distinct == nil ? plan.wanted : .max
        var found = SortedKeys(capacity: capacity, isIDDescending: plan.order.last?.isDescending ?? false)
        var sortKey = ByteWriter(capacity: 64)
        let firstWord = SortWord(plan.order[0])
        // All records are wanted: what tells whether one is need not be asked for each.
        let isPlainWalk = hasPlainWalk && !readsAhead
        while isPlainWalk ? try step() : try find() {
            do {
                let table = try RecordBytes.table(of: currentRecord)
                let word = try firstWord(table, scratch: &sortKey)
                // Most records of many come after all that are kept.
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

    /// Puts the records that are pending in order, by their fields.
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
