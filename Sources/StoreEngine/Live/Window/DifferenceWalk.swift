/// Compares two results by the positions of their rows, and skips all chunks that they share.
struct DifferenceWalk {
    /// A row in one of the results.
    struct Entry {
        let index: Int
        /// The number of earlier rows that are at the same positions in both results.
        let rank: Int
        let row: LiveRow
    }

    /// The rows of the old result whose positions are not in the new result, and the rows of the new result whose positions are
    /// not in the old one.
    private(set) var gone: [Entry] = []
    private(set) var arrived: [Entry] = []
    /// The rows that changed at the same position.
    private(set) var changed: [(old: Entry, new: Entry)] = []
    private var old: RowWalker
    private var new: RowWalker
    private var rank = 0

    init(_ old: LiveRows, _ new: LiveRows) {
        self.old = RowWalker(old)
        self.new = RowWalker(new)
    }

    mutating func run() {
        while true {
            if let length = old.commonLength(new) {
                old.skip(length)
                new.skip(length)
                rank += length
                continue
            }
            guard let left = old.row else {
                while let right = new.row { arrive(right) }
                return
            }
            guard let right = new.row else {
                leave(left)
                continue
            }
            let order = left === right ? 0 : left.compared(to: right.sortKey)
            if order < 0 {
                leave(left)
            } else if order > 0 {
                arrive(right)
            } else if left !== right, left.key != right.key {
                // Positions from different orders may have the same bytes and still belong to different records.
                leave(left)
                arrive(right)
            } else {
                if left !== right { changed.append((entry(old, left), entry(new, right))) }
                old.skip(1)
                new.skip(1)
                rank += 1
            }
        }
    }

    private func entry(_ walker: RowWalker, _ row: LiveRow) -> Entry {
        Entry(index: walker.index, rank: rank, row: row)
    }

    private mutating func leave(_ row: LiveRow) {
        gone.append(entry(old, row))
        old.skip(1)
    }

    private mutating func arrive(_ row: LiveRow) {
        arrived.append(entry(new, row))
        new.skip(1)
    }
}
