/// What answering a request took.
package struct FetchCounts: Hashable, Sendable {
    /// For each path of the plan, how many of its entries were looked at; without elements while the one path of a plan is walked.
    package var walked: [Int] = []
    /// How many records and entries were looked at to answer the parts of the condition about other records.
    package var lookedUp = 0
    /// How many times a record's bytes were looked up or walked over.
    package var fetched = 0
    /// How many records were tested against the condition.
    package var tested = 0
    /// How many met it.
    package var passed = 0
    /// How many were returned.
    package var returned = 0
    /// Whether the keys of an intersection or a union were too many to hold, so that all records were walked.
    package var isWalkOfAll = false
}
