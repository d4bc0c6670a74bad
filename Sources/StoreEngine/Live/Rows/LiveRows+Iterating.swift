extension LiveRows {
    /// Walks the rows chunk by chunk: by index each row would be looked for anew.
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
