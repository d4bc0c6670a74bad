import ModelStore

/// A value that the demonstration writes.
@Record
struct Measurement {
    @ID var id: String
    var value: Int
}
