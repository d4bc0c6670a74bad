/// The work that a fetch has done.
package struct FetchCounts: Hashable, Sendable {
    /// The number of entries read on each path of the plan. Empty while a plan with one path is still being walked.
    package var walked: [Int] = []
    /// The number of records and entries read to resolve the parts of the condition about other records.
    package var lookedUp = 0
    /// The number of times that a record's bytes were looked up or walked over.
    package var fetched = 0
    /// The number of records tested against the condition.
    package var tested = 0
    /// The number of records that met the condition.
    package var passed = 0
    /// The number of records returned.
    package var returned = 0
    /// Whether the keys of an intersection or a union exceeded their memory limit, so that the fetch walked all records.
    package var isWalkOfAll = false
}
