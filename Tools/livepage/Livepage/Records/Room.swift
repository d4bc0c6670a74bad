import ModelStore

/// A room of the house.
@Record
struct Room {
    /// The name in addresses.
    @ID var id: String
    /// The name for the user.
    var name: String
}
