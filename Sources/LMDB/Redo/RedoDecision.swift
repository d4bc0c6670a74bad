/// The step that a writer takes before it writes.
enum RedoDecision: Equatable {
    /// The reason for a checkpoint.
    enum Reason: Equatable {
        case failedSync
        /// The last commits are not in the log: they were too large, or a program that knows no log made them.
        case unlogged
        case noPin
        case pinIsOld
        case logIsLong
        case fileHasGrown
    }

    case write
    /// Takes a new pin, which holds the last checkpoint as well as the old one.
    case pin
    case checkpoint(Reason)
}
