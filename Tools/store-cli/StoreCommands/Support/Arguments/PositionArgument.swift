import ArgumentParser
import StoreEngine
import StoreRuntime

/// A place in the feed on the command line: a sequence number, a full token, or `oldest` or `newest`.
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

    /// The place for the library.
    var start: FeedStart {
        switch self {
        case .oldest: .oldest
        case .newest: .newest
        case .sequence(let number): .after(sequence: number)
        case .token(let position): .after(position)
        }
    }

    /// The position in a snapshot of the store, from which the difference can be told where the feed cannot be resumed there.
    ///
    /// - Throws: ``StoreError`` when that cannot be told either.
    func differencePosition(in scope: ReadContext) throws(StoreError) -> Position {
        switch self {
        case .oldest, .newest: return try position(in: scope)
        case .sequence(let number): return try scope.differencePosition(at: number)
        case .token(let position):
            try scope.requireDifference(since: position)
            return position
        }
    }

    /// The position in a snapshot of the store.
    ///
    /// - Throws: ``StoreError`` when the feed cannot be resumed there.
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
