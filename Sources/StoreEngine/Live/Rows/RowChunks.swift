/// Rows in the order of their positions, in chunks. A change copies one chunk and the list of chunks only, even while another
/// reference holds the rows as they were.
struct RowChunks: Sendable {
    /// The chunks. No chunk is empty.
    private(set) var chunks: [[LiveRow]] = []
    private(set) var count = 0

    /// The most rows in a chunk. A larger chunk is split in half.
    static let maximumChunkCount = 128

    /// The position at which a row is or would be inserted.
    struct Spot {
        var chunk: Int
        var offset: Int
        /// Whether a row with the requested position exists.
        var isFound: Bool
    }

    init() {}

    /// Creates chunks from rows that are in the order of their positions.
    init(_ rows: [LiveRow]) {
        for row in rows { append(row) }
    }

    /// The last row.
    var last: LiveRow? { chunks.last?.last }

    subscript(spot: Spot) -> LiveRow { chunks[spot.chunk][spot.offset] }

    /// Appends a row that comes after all others.
    mutating func append(_ row: LiveRow) {
        // Chunks are filled to three quarters, so that a later insert rarely needs a new chunk.
        if let last = chunks.last, last.count < Self.maximumChunkCount * 3 / 4 {
            chunks[chunks.count - 1].append(row)
        } else {
            chunks.append([row])
        }
        count += 1
    }

    /// Returns the spot for a row's position.
    func spot(of sortKey: [UInt8]) -> Spot {
        let word = sortKey.leadingWord
        var (low, high) = (0, chunks.count)
        // Find the last chunk whose first row is at or before the position.
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle][0].compared(to: sortKey, word: word) <= 0 { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return Spot(chunk: 0, offset: 0, isFound: false) }
        let chunk = low - 1
        var (first, end) = (0, chunks[chunk].count)
        while first < end {
            let middle = (first + end) / 2
            let order = chunks[chunk][middle].compared(to: sortKey, word: word)
            if order == 0 { return Spot(chunk: chunk, offset: middle, isFound: true) }
            if order < 0 { first = middle + 1 } else { end = middle }
        }
        return Spot(chunk: chunk, offset: first, isFound: false)
    }

    /// Returns the row at a position; nil where there is none.
    func row(at sortKey: [UInt8]) -> LiveRow? {
        let spot = spot(of: sortKey)
        return spot.isFound ? self[spot] : nil
    }

    /// Inserts a row at the spot that a search for its position returned without finding it.
    mutating func insert(_ row: LiveRow, at spot: Spot) {
        count += 1
        guard spot.chunk < chunks.count else {
            chunks.append([row])
            return
        }
        chunks[spot.chunk].insert(row, at: spot.offset)
        let size = chunks[spot.chunk].count
        guard size > Self.maximumChunkCount else { return }
        let second = Array(chunks[spot.chunk][(size / 2)...])
        chunks[spot.chunk].removeLast(size - size / 2)
        chunks.insert(second, at: spot.chunk + 1)
    }

    /// Replaces the row at a spot.
    mutating func replace(_ row: LiveRow, at spot: Spot) { chunks[spot.chunk][spot.offset] = row }

    /// Removes the row at a spot.
    mutating func remove(at spot: Spot) {
        count -= 1
        chunks[spot.chunk].remove(at: spot.offset)
        if chunks[spot.chunk].isEmpty {
            chunks.remove(at: spot.chunk)
        } else if chunks[spot.chunk].count < Self.maximumChunkCount / 4, spot.chunk + 1 < chunks.count,
            chunks[spot.chunk + 1].count < Self.maximumChunkCount / 4
        {
            // Merge small chunks. Otherwise a window that loses its rows one by one would end with a single row in each chunk.
            chunks[spot.chunk] += chunks.remove(at: spot.chunk + 1)
        }
    }

    /// Checks that the rows are in ascending order, that no chunk is empty or too large, and that the count is right. Tests call
    /// it; it is empty in release builds.
    ///
    /// - Complexity: O(n)
    func _checkInvariants() {
        #if DEBUG
        var last: LiveRow?
        for chunk in chunks {
            precondition(!chunk.isEmpty && chunk.count <= Self.maximumChunkCount, "a chunk has \(chunk.count) rows")
            for row in chunk {
                if let last { precondition(last.compared(to: row.sortKey) < 0, "two rows are not in ascending order") }
                last = row
            }
        }
        let sum = chunks.reduce(0) { $0 + $1.count }
        precondition(sum == count, "the chunks have \(sum) rows, and the count is \(count)")
        #endif
    }

    /// Removes the last rows, so that `count` rows are left.
    mutating func truncate(to count: Int) {
        while self.count > count, let last = chunks.last {
            let surplus = self.count - count
            if last.count <= surplus {
                chunks.removeLast()
                self.count -= last.count
            } else {
                chunks[chunks.count - 1].removeLast(surplus)
                self.count = count
            }
        }
    }
}

extension [LiveRow] {
    /// Whether both are the same array in memory: one is a copy of the other, and neither has changed since.
    func isSameMemory(as other: [LiveRow]) -> Bool {
        unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }
}
