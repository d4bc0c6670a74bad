/// The rows of a live result: an immutable value that costs nothing to pass on.
///
/// It shares chunks with the results before and after it, as far as they have the same rows.
package struct LiveRows: RandomAccessCollection, Sendable {
    let chunks: [[LiveRow]]
    /// For each chunk, the number of rows in the chunks before it.
    private let starts: [Int]
    /// The range of these rows among all rows: from the offset up to the limit.
    private let shown: Range<Int>

    /// Creates an empty result.
    package init() { self.init(RowChunks(), offset: 0, limit: nil) }

    /// Creates a result of a single row.
    package init(_ row: LiveRow) { self.init(RowChunks([row]), offset: 0, limit: nil) }

    /// Creates a result of the rows from the offset up to the limit.
    init(_ rows: RowChunks, offset: Int, limit: Int?) {
        chunks = rows.chunks
        var starts: [Int] = []
        starts.reserveCapacity(rows.chunks.count)
        var start = 0
        for chunk in rows.chunks {
            starts.append(start)
            start += chunk.count
        }
        self.starts = starts
        let lower = Swift.min(offset, rows.count)
        shown = lower..<(lower + Swift.min(limit ?? .max, rows.count - lower))
    }

    private init(_ rows: LiveRows, limit: Int) {
        (chunks, starts) = (rows.chunks, rows.starts)
        shown = rows.shown.prefix(limit)
    }

    /// Returns the first rows.
    func limited(to limit: Int) -> LiveRows { LiveRows(self, limit: limit) }

    package var startIndex: Int { 0 }
    package var endIndex: Int { shown.count }

    /// Returns the row at an index.
    ///
    /// - Complexity: O(log n), in steps of whole chunks.
    package subscript(index: Int) -> LiveRow {
        precondition(index >= 0 && index < shown.count, "there is no row \(index)")
        let mark = mark(at: index)
        return chunks[mark.chunk][mark.offset]
    }

    /// A position in the chunks.
    struct Mark {
        var chunk: Int
        var offset: Int
    }

    /// Returns the position of a row in the chunks.
    func mark(at index: Int) -> Mark {
        let wanted = shown.lowerBound + index
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= wanted { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? Mark(chunk: 0, offset: 0) : Mark(chunk: low - 1, offset: wanted - starts[low - 1])
    }

    /// Whether a subscriber to these fields sees no difference between these rows and others.
    ///
    /// - Parameter fields: the indexes of the fields; nil for all fields.
    /// - Complexity: O(chunks), and O(rows) for chunks that differ.
    package func shows(theSameAs other: LiveRows, fields: FieldIndexSet?) -> Bool {
        guard count == other.count else { return false }
        if isEmpty { return true }
        var index = 0
        var (own, others) = (mark(at: 0), other.mark(at: 0))
        while index < count {
            if own.offset == others.offset, chunks[own.chunk].isSameMemory(as: other.chunks[others.chunk]) {
                let length = chunks[own.chunk].count - own.offset
                index += length
                (own.offset, others.offset) = (own.offset + length, others.offset + length)
            } else {
                let (row, old) = (chunks[own.chunk][own.offset], other.chunks[others.chunk][others.offset])
                if row !== old, !row.shows(theSameAs: old, fields: fields) { return false }
                index += 1
                own.offset += 1
                others.offset += 1
            }
            if own.offset == chunks[own.chunk].count { own = Mark(chunk: own.chunk + 1, offset: 0) }
            if others.offset == other.chunks[others.chunk].count { others = Mark(chunk: others.chunk + 1, offset: 0) }
        }
        return true
    }
}

extension LiveRow {
    fileprivate func shows(theSameAs old: LiveRow, fields: FieldIndexSet?) -> Bool {
        guard key == old.key else { return false }
        guard followed == old.followed else { return false }
        if content === old.content { return true }
        let (fieldIndexes, isReplaced) = content.changedFieldIndexes(since: old.content)
        return fieldIndexes.isEmpty || !isReplaced && !(fields.map { fieldIndexes.intersects($0) } ?? true)
    }
}
