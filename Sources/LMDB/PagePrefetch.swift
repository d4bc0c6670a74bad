internal import CLMDB

/// Has the pages of a long walk in the processor's caches when their entries are looked at.
///
/// The entries of a page lie in it in no order that the processor foresees, so a walk waits for memory at each. From the third page
/// of a walk on, all of a page is asked for when the walk comes to it; where pages follow one another at equal distances, as
/// those of a compacted file and of entries that were added in order do, the next page is asked for instead, while this one's
/// entries are read. Rows 9c and 9d of the benchmarks show what it saves.
struct PagePrefetch {
    /// The page that the walk is at, by its address.
    private var page: UInt = 0
    /// How far it lies behind the one before.
    private var stride: UInt = 0
    /// How many pages the walk has come to one after the other.
    private var pageCount = 0

    /// Begins anew: where a search ends says nothing of where the next does.
    @inline(__always)
    mutating func startOver() { pageCount = 0 }

    /// Tells where the entry lies that the walk has come to.
    @inline(__always)
    mutating func reach(_ address: UInt) {
        let next = address &>> 12
        if next != page { enter(next) }
    }

    @inline(never)
    private mutating func enter(_ next: UInt) {
        let step = next &- page
        pageCount &+= 1
        if pageCount > 2 { Calls.prefetch(page: step == stride ? next &+ step : next) }
        (page, stride) = (next, step)
    }
}
