/// A page on the way to an entry, and which of its entries the way goes through.
@safe
struct MappedPageSlot {
    let page: UnsafeRawPointer
    var number: Int
    let count: Int

    /// Goes to the entry before (-1) or behind (1); false where the page ends.
    @inline(__always)
    mutating func move(by step: Int) -> Bool {
        number &+= step
        // One comparison: -1 is a large number then.
        return UInt(bitPattern: number) < UInt(bitPattern: count)
    }
}
