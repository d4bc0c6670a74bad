import ModelStore

/// A write of the rounds, with the number that its transaction has given it.
@Record
struct Step {
    @ID var token: String
    @Indexed var number: Int
}
