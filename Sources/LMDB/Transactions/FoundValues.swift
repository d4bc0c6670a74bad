/// Values that were looked up together.
@safe
package struct FoundValues: ~Copyable, ~Escapable {
    /// How many keys are looked up at once: about as many as a processor can wait for.
    package static let capacity = 16

    /// One value for each key; without an address if the key has to be looked up alone. On the heap, because an inline array
    /// would be copied at each access.
    private var values: [UnsafeRawBufferPointer] = unsafe []
    /// The branch entry of the last search, for the next ones: keys are mostly looked up in order.
    private var slot: MappedPageSlot?
    /// The root of that tree.
    private var root: UInt64 = 0

    /// Creates an empty list.
    @_lifetime(immortal)
    package init() {}

    /// The value of a key, by the key's index; nil if the key has to be looked up alone.
    package subscript(number: Int) -> RawSpan? {
        @_lifetime(copy self)
        borrowing get {
            guard unsafe number < values.count else { return nil }
            let value = unsafe values[number]
            guard unsafe value.baseAddress != nil else { return nil }
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: value), copying: self)
        }
    }

    /// Removes all values.
    @_lifetime(self: copy self)
    mutating func removeAll() { unsafe values.removeAll(keepingCapacity: true) }

    /// Looks up the next keys.
    @_lifetime(self: copy self)
    mutating func find(_ tree: MappedTree, _ keys: UnsafeRawBufferPointer, _ ends: Span<Int>, _ range: Range<Int>) {
        guard tree.depth > 0 else { return }
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
