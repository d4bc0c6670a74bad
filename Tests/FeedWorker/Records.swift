import ModelStore

/// An item of a lane: one record for each number, from 1 without a gap.
@Record
struct Item {
    @ID var id: String
    @Indexed var lane: String
    var number: Int
    var text: String
}

/// A consumer's totals for the items of a lane.
@Record
struct Total {
    @ID var lane: String
    var count: Int
    var last: Int
    /// The number of items whose number did not follow the last one.
    var faults: Int
}

/// The progress of a lane.
@Record
struct Lane {
    @ID var name: String
    var last: Int
}
