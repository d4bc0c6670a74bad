/// A page on the path to an entry, and the index of the entry in the page that the path goes through.
@safe
struct MappedPageSlot {
    let page: UnsafeRawPointer
    var number: Int
    let count: Int

    /// The number of the page, as it says itself.
    var pageNumber: UInt64 { unsafe page.loadUnaligned(as: UInt64.self) }

    /// Moves to the previous (-1) or the next (1) entry; returns false at the end of the page.
    @inline(__always)
    mutating func move(by step: Int) -> Bool {
        number &+= step
        // One comparison covers both ends: -1 becomes a large number.
        return UInt(bitPattern: number) < UInt(bitPattern: count)
    }
}
