internal import CLMDB

extension MappedWalk {
    /// Does what `mdb_cursor_get` does for a move to the first, last, next or previous entry. A damaged page gives
    /// `MDB_CORRUPTED`.
    mutating func move(_ operation: MDB_cursor_op, key: inout MDB_val, value: inout MDB_val) -> Int32 {
        let step = operation == MDB_FIRST || operation == MDB_NEXT ? 1 : -1
        let isStep = operation == MDB_NEXT || operation == MDB_PREV
        return unsafe take(isStep && isInside ? move(by: step) : moveToEnd(step), &key, &value)
    }

    /// Does what `mdb_cursor_get` does for `MDB_SET_RANGE` and `MDB_SET_KEY`. A damaged page gives `MDB_CORRUPTED`.
    mutating func seek(
        _ operation: MDB_cursor_op, _ wanted: RawSpan, key: inout MDB_val, value: inout MDB_val
    ) -> Int32 {
        unsafe wanted.withUnsafeBytes { wanted in
            let move = unsafe operation == MDB_SET_RANGE ? seek(atLeast: wanted) : seek(exactly: wanted)
            return unsafe take(move, &key, &value)
        }
    }

    private func take(_ move: Move, _ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        switch move {
        case .entry(let foundKey, let foundValue):
            unsafe key = MDB_val(foundKey)
            unsafe value = MDB_val(foundValue)
            return 0
        case .end: return MDB_NOTFOUND
        case .damage: return MDB_CORRUPTED
        }
    }
}
