/// Names a live request of a ``LiveMatcher``. Never used for another one; ordered by when they were added.
package struct LiveRequestID: Hashable, Comparable, Sendable {
    /// Which request of all that there ever were.
    let serial: UInt64
    /// Where it is kept.
    let slot: Int32

    package static func < (left: LiveRequestID, right: LiveRequestID) -> Bool { left.serial < right.serial }
}
