/// A place in rows that are walked.
struct RowWalker {
    private let rows: LiveRows
    private let count: Int
    private(set) var index = 0
    private var mark: LiveRows.Mark

    init(_ rows: LiveRows) {
        self.rows = rows
        count = rows.count
        mark = rows.mark(at: 0)
    }

    /// The row here; nil at the end.
    var row: LiveRow? { index < count ? rows.chunks[mark.chunk][mark.offset] : nil }

    /// How many rows from here on two walkers have in common, where both are at the same row of a shared chunk; nil
    /// otherwise.
    func commonLength(_ other: RowWalker) -> Int? {
        guard index < count, other.index < other.count, mark.offset == other.mark.offset else { return nil }
        let chunk = rows.chunks[mark.chunk]
        guard chunk.isSameMemory(as: other.rows.chunks[other.mark.chunk]) else { return nil }
        return Swift.min(chunk.count - mark.offset, count - index, other.count - other.index)
    }

    /// Goes on by some rows, not past the end of the chunk.
    mutating func skip(_ length: Int) {
        index += length
        mark.offset += length
        if mark.offset == rows.chunks[mark.chunk].count { mark = LiveRows.Mark(chunk: mark.chunk + 1, offset: 0) }
    }
}
