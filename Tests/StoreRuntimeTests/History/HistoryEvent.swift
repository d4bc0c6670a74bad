/// The operations of one write closure, which catches their errors. If `stop` is set, the closure throws before the operation
/// with that number.
struct HistoryClosure: Sendable, CustomStringConvertible {
    var steps: [HistoryStep]
    var stop: Int?

    var description: String {
        var lines = steps.enumerated().map { index, step in (index == stop ? "throw; " : "") + "\(step)" }
        if stop == steps.count { lines.append("throw") }
        return lines.joined(separator: "\n    ")
    }
}

/// The next operation on the store.
enum HistoryEvent: Sendable, CustomStringConvertible {
    /// One closure, or several that are queued together.
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

/// Thrown by a closure that should be rolled back.
struct Stopped: Error {}
