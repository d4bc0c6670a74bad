import ModelStore

/// A record that the service writes all day.
@Record
struct Reading {
    @ID var id: Int
    @Indexed var room: Int
    var celsius: Double
    var text: String
}

/// The number of changes that the consumer has handled.
@Record
struct Tally {
    @ID var name: String
    var count: Int
}
