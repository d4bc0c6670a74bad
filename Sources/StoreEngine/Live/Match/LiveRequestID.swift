/// Identifies a live request of a ``LiveMatcher``. An id is never used again. Ids are ordered by the time of adding.
package struct LiveRequestID: Hashable, Comparable, Sendable {
    /// The serial number among all requests that were ever added.
    let serial: UInt64
    /// The slot that holds the request.
    let slot: Int32

    package static func < (left: LiveRequestID, right: LiveRequestID) -> Bool { left.serial < right.serial }
}
