import ModelStore

/// A room of the house.
@Record
struct Room {
    /// What it is called in addresses.
    @ID var id: String
    /// What it is called.
    var name: String
}
