/// A position in rows that are being iterated.
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

    /// The current row; nil at the end.
    var row: LiveRow? { index < count ? rows.chunks[mark.chunk][mark.offset] : nil }

    /// Returns the number of rows that two walkers have in common, from the current row on. Nil where they are not at the same
    /// row of a shared chunk.
    func commonLength(_ other: RowWalker) -> Int? {
        guard index < count, other.index < other.count, mark.offset == other.mark.offset else { return nil }
        let chunk = rows.chunks[mark.chunk]
        guard chunk.isSameMemory(as: other.rows.chunks[other.mark.chunk]) else { return nil }
        return Swift.min(chunk.count - mark.offset, count - index, other.count - other.index)
    }

    /// Moves forward by some rows, but not past the end of the chunk.
    mutating func skip(_ length: Int) {
        index += length
        mark.offset += length
        if mark.offset == rows.chunks[mark.chunk].count { mark = LiveRows.Mark(chunk: mark.chunk + 1, offset: 0) }
    }
}
