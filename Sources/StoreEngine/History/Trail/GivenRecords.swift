/// The records that a difference has met and delivered, so that it does not deliver them again.
///
/// It remembers a limited number and then starts over. The difference may then deliver a record twice, which is also correct.
struct GivenRecords: Sendable {
    /// The state of a record that was met.
    struct Given: Sendable {
        /// The newest change set of the snapshot from which the record was delivered; nil if it was met but not delivered.
        let newest: UInt64?
        /// Whether a record existed under its id at the position; nil if this is not known.
        let wasThere: Bool?
    }

    /// The maximum number of records to remember.
    private static let limit = 100_000

    private var records: [TrailKey.Record: Given] = [:]
    /// Whether it remembers all records that were met.
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
