/// Which records a difference has met and told already, so that it need not tell them again.
///
/// It remembers some and then begins anew: a record may come twice then, which is as right as once.
struct GivenRecords: Sendable {
    /// What is known of a record that was met.
    struct Given: Sendable {
        /// The newest change set of the snapshot that it was told from; nil where it was met and not told.
        let newest: UInt64?
        /// Whether there was one under its id at the position; nil where that is not known.
        let wasThere: Bool?
    }

    /// The most records that are remembered.
    private static let limit = 100_000

    private var records: [TrailKey.Record: Given] = [:]
    /// Whether it remembers all that were met.
    private(set) var isComplete = true

    subscript(record: TrailKey.Record) -> Given? { records[record] }

    mutating func add(_ record: TrailKey.Record, _ given: Given) {
        if records.count >= GivenRecords.limit, records[record] == nil {
            records = [:]
            isComplete = false
        }
        records[record] = given
    }
}
