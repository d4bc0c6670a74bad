import ModelStore

/// What a lane writes: one record for each number, from 1 without a hole.
@Record
struct Item {
    @ID var id: String
    @Indexed var lane: String
    var number: Int
    var text: String
}

/// What a consumer makes of the items of a lane.
@Record
struct Total {
    @ID var lane: String
    var count: Int
    var last: Int
    /// How often a number came that is not the one after the last.
    var faults: Int
}

/// How far a lane is.
@Record
struct Lane {
    @ID var name: String
    var last: Int
}
