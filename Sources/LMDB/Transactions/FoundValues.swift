/// Values that were looked for together.
@safe
package struct FoundValues: ~Copyable, ~Escapable {
    /// How many are looked for at once: about as many as a processor can wait for.
    package static let capacity = 16

    /// For each key that was looked for; no bytes where LMDB has to be asked. On the heap, as an array in place is copied for each
    /// look at it.
    private var values: [UnsafeRawBufferPointer] = unsafe []
    /// Where the last search came through its tree, for the next ones: keys are mostly asked for in order.
    private var slot: MappedPageSlot?
    /// The root of that tree.
    private var root: UInt64 = 0

    /// None.
    @_lifetime(immortal)
    package init() {}

    /// A value by the number of its key; nil where LMDB has to be asked.
    package subscript(number: Int) -> RawSpan? {
        @_lifetime(copy self)
        borrowing get {
            guard unsafe number < values.count else { return nil }
            let value = unsafe values[number]
            guard unsafe value.baseAddress != nil else { return nil }
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: value), copying: self)
        }
    }

    /// Forgets all.
    @_lifetime(self: copy self)
    mutating func removeAll() { unsafe values.removeAll(keepingCapacity: true) }

    /// Looks for some more.
    @_lifetime(self: copy self)
    mutating func find(_ tree: MappedTree, _ keys: UnsafeRawBufferPointer, _ ends: Span<Int>, _ range: Range<Int>) {
        let count = min(range.count, Self.capacity)
        if root != tree.root { (root, slot) = (tree.root, nil) }
        unsafe withUnsafeTemporaryAllocation(of: MappedTree.Search.self, capacity: Self.capacity) { searches in
            guard let start = searches.baseAddress else { return }
            var begin = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
            for number in 0..<count {
                let end = ends[range.lowerBound + number]
                guard LMDBKey.isValid(byteCount: end - begin) else { return }
                let key = unsafe UnsafeRawBufferPointer(rebasing: keys[begin..<end])
                unsafe (start + number).initialize(to: MappedTree.Search(key))
                begin = end
            }
            unsafe tree.goDown(start, count, from: &slot)
            unsafe values.reserveCapacity(values.count + count)
            for number in 0..<count {
                let value = unsafe tree.value(start[number]) ?? UnsafeRawBufferPointer(start: nil, count: 0)
                unsafe Calls.prefetch(beginningOf: value)
                unsafe values.append(value)
            }
        }
    }
}
