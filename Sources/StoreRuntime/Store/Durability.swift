/// What a returned write survives.
public enum Durability: Hashable, Sendable {
    /// Everything up to the loss of power: data and commit are synced before the write returns.
    case full
    /// A crash of the program. At the loss of power the last commits may be gone, but the store is consistent, and no
    /// commit is there without those before it.
    case relaxed
}
