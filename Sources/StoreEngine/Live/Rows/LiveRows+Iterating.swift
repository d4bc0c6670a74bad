extension LiveRows {
    /// Iterates chunk by chunk. Iterating by index would search for each row again.
    package struct Iterator: IteratorProtocol {
        private var walker: RowWalker

        fileprivate init(_ rows: LiveRows) { walker = RowWalker(rows) }

        package mutating func next() -> LiveRow? {
            guard let row = walker.row else { return nil }
            walker.skip(1)
            return row
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }
}
