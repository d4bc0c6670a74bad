internal import Glibc

extension MappedTree {
    /// The result of a lookup.
    @safe
    enum Lookup {
        case found(UnsafeRawBufferPointer)
        case missing
        /// The page with this number has an unexpected layout.
        case damage(UInt64)
    }

    /// A key to search for, with its first bytes as a number.
    @safe
    struct Key {
        let start: UnsafeRawPointer
        let count: Int
        fileprivate let word: UInt64

        /// - Parameter bytes: at least one byte.
        @inline(__always)
        init(_ bytes: UnsafeRawBufferPointer) {
            unsafe start = bytes.baseAddress.unsafelyUnwrapped
            count = bytes.count
            word = count >= 8 ? UInt64(bigEndian: unsafe start.loadUnaligned(as: UInt64.self)) : 0
        }

        /// Returns a negative number if the key of an entry is before this key, 0 if it is the same, and a positive number if it
        /// is after it.
        @inline(__always)
        func order(of entry: UnsafeRawPointer) -> Int {
            let other = unsafe MappedPage.key(entry)
            return unsafe order(ofKey: other.baseAddress.unsafelyUnwrapped, other.count)
        }

        @inline(__always)
        func order(ofKey other: UnsafeRawPointer, _ otherCount: Int) -> Int {
            guard count >= 8, otherCount >= 8 else { return unsafe tailOrder(other, otherCount, from: 0) }
            let otherWord = UInt64(bigEndian: unsafe other.loadUnaligned(as: UInt64.self))
            if otherWord != word { return otherWord < word ? -1 : 1 }
            return unsafe tailOrder(other, otherCount, from: 8)
        }

        @inline(__always)
        private func tailOrder(_ other: UnsafeRawPointer, _ otherCount: Int, from offset: Int) -> Int {
            let length = min(count, otherCount) - offset
            if length > 0 {
                let order = unsafe memcmp(other + offset, start + offset, length)
                if order != 0 { return Int(order) }
            }
            return otherCount - count
        }
    }

    /// Looks up one key of at least one byte.
    func find(_ bytes: UnsafeRawBufferPointer) -> Lookup {
        guard depth > 0 else { return .missing }
        let key = unsafe Key(bytes)
        var number = root
        for _ in 1..<depth {
            guard let page = unsafe page(number),
                let slot = unsafe branchSlot(key, in: page, number),
                let entry = unsafe MappedPage.entry(slot.number, of: page, size: pageSize)
            else { return .damage(number) }
            number = unsafe MappedPage.child(entry)
        }
        guard let page = unsafe page(number), let slot = unsafe leafSlot(key, in: page, number) else {
            return .damage(number)
        }
        guard slot.isExact else { return .missing }
        guard let entry = unsafe MappedPage.entry(slot.slot.number, of: page, size: pageSize),
            let value = unsafe value(entry, of: page)
        else { return .damage(number) }
        return unsafe .found(value)
    }

    /// Returns the value of a leaf entry; nil if a page has an unexpected layout.
    @inline(__always)
    func value(_ entry: UnsafeRawPointer, of leaf: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
        unsafe MappedPage.value(entry, of: leaf, size: pageSize) ?? valueOnOwnPages(entry, of: leaf)
    }

    /// Returns the entry of a branch that leads to a key; nil if the page has an unexpected layout.
    @inline(__always)
    func branchSlot(_ key: Key, in page: UnsafeRawPointer, _ number: UInt64) -> MappedPageSlot? {
        guard let count = unsafe entryCount(page, MappedPage.branchFlags, number) else { return nil }
        // The first entry has no key: it leads to all keys before the second entry.
        var (low, high) = (1, count)
        while low < high {
            let middle = (low &+ high) >> 1
            guard let entry = unsafe MappedPage.entry(middle, of: page, size: pageSize) else { return nil }
            if unsafe key.order(of: entry) <= 0 { low = middle &+ 1 } else { high = middle }
        }
        return unsafe MappedPageSlot(page: page, number: low - 1, count: count)
    }

    /// Returns the first entry of a leaf that is not before a key, and whether it has this key; nil if the page has an unexpected
    /// layout. The number of the entry is the count of entries if all are before the key.
    @inline(__always)
    func leafSlot(
        _ key: Key, in page: UnsafeRawPointer, _ number: UInt64
    ) -> (slot: MappedPageSlot, isExact: Bool)? {
        guard let count = unsafe entryCount(page, MappedPage.leafFlags, number) else { return nil }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low &+ high) >> 1
            guard let entry = unsafe MappedPage.entry(middle, of: page, size: pageSize) else { return nil }
            let order = unsafe key.order(of: entry)
            if order == 0 { return unsafe (MappedPageSlot(page: page, number: middle, count: count), true) }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return unsafe (MappedPageSlot(page: page, number: low, count: count), false)
    }

    /// Returns the number of entries of a page; nil if the page has another number, is of another kind, or has no entries.
    @inline(__always)
    func entryCount(_ page: UnsafeRawPointer, _ flags: UInt16, _ number: UInt64) -> Int? {
        guard unsafe page.loadUnaligned(as: UInt64.self) == number else { return nil }
        return unsafe MappedPage.entryCount(page, flags, size: pageSize)
    }
}
