import ArgumentParser
import StoreEngine
import StoreRuntime

/// A position in the feed on the command line: a sequence number, a full token, `oldest` or `newest`.
enum PositionArgument: ExpressibleByArgument, Equatable {
    case oldest
    case newest
    case sequence(UInt64)
    case token(Position)

    init?(argument: String) {
        switch argument {
        case "oldest": self = .oldest
        case "newest": self = .newest
        default:
            if let number = UInt64(argument) {
                self = .sequence(number)
            } else if let position = Position(argument) {
                self = .token(position)
            } else {
                return nil
            }
        }
    }

    /// The position in the form of the library.
    var start: FeedStart {
        switch self {
        case .oldest: .oldest
        case .newest: .newest
        case .sequence(let number): .after(sequence: number)
        case .token(let position): .after(position)
        }
    }

    /// Returns the position in a snapshot of the store, as the start of a difference if the feed cannot be resumed there.
    ///
    /// - Throws: ``StoreError`` if the store cannot compute that difference either.
    func differencePosition(in scope: ReadContext) throws(StoreError) -> Position {
        switch self {
        case .oldest, .newest: return try position(in: scope)
        case .sequence(let number): return try scope.differencePosition(at: number)
        case .token(let position):
            try scope.requireDifference(since: position)
            return position
        }
    }

    /// Returns the position in a snapshot of the store.
    ///
    /// - Throws: ``StoreError`` if the feed cannot be resumed there.
    func position(in scope: ReadContext) throws(StoreError) -> Position {
        switch self {
        case .oldest: return try scope.oldestPosition()
        case .newest: return try scope.feedPosition()
        case .sequence(let number): return try scope.position(at: number)
        case .token(let position):
            try scope.requireResumable(position)
            return position
        }
    }
}
