import LMDB

/// Combining the record keys of several walks.
extension FetchCursor {
    /// Finds the keys of the records that an intersection or a union leads to. If there are too many, switches to a walk over all
    /// records.
    @_lifetime(self: copy self)
    mutating func gatherKeys() throws(StoreError) {
        var keys = RecordKeySet(byteLimit: keyByteLimit)
        var isComplete = true
        var last = 0
        switch plan.source {
        case .walk, .keys: return
        case .union(let walks):
            for (number, walk) in walks.enumerated() where isComplete {
                isComplete = try gather(walk, number, &keys, isMarking: false)
            }
        case .intersection(let walks):
            for (number, walk) in walks.enumerated() where isComplete {
                isComplete = try gather(walk, number, &keys, isMarking: number > 0)
            }
            last = walks.count - 1
        }
        if isComplete {
            setPending(keys.finish(walk: last, isBackward: plan.isBackward))
            isGathered = true
            if orderedByteCount < .max, mayPendingBeTruncated { try sortPending() }
        } else {
            counts.isWalkOfAll = true
            filter = plan.wholeFilter
        }
    }

    /// Adds the keys of one walk to the set, or marks them in it.
    ///
    /// - Returns: false when there are too many.
    private mutating func gather(
        _ walk: PlannedWalk, _ number: Int, _ keys: inout RecordKeySet, isMarking: Bool
    ) throws(StoreError) -> Bool {
        let database = type.database(ofIndex: walk.indexNumber)
        var walker = try RangeWalker(scope, database, walk.ranges)
        var hasRoom = true
        while hasRoom, try walker.advance() {
            if walk.indexNumber == nil {
                hasRoom = keys.take(walker.key, walk: number, isMarking: isMarking)
            } else {
                hasRoom = try keys.take(walker.recordKey(of: type), walk: number, isMarking: isMarking)
            }
        }
        counts.walked[number] = walker.count
        return hasRoom
    }
}
