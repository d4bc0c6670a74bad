/// The operations of one write closure. Errors of its operations are caught; where `stop` is set it throws before the
/// operation with that number.
struct HistoryClosure: Sendable, CustomStringConvertible {
    var steps: [HistoryStep]
    var stop: Int?

    var description: String {
        var lines = steps.enumerated().map { index, step in (index == stop ? "throw; " : "") + "\(step)" }
        if stop == steps.count { lines.append("throw") }
        return lines.joined(separator: "\n    ")
    }
}

/// What happens to the store next.
enum HistoryEvent: Sendable, CustomStringConvertible {
    /// One closure, or several that wait together.
    case write([HistoryClosure])
    case reopen

    var description: String {
        switch self {
        case .write(let closures):
            closures.map { "  write\n    \($0)" }.joined(separator: "\n")
        case .reopen: "  reopen"
        }
    }
}

/// Thrown by a closure that is to be undone.
struct Stopped: Error {}
