import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
final class StandingClock: Sendable {
    private let seconds = Mutex(0.0)

    var now: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

    /// Moves the clock by `more` seconds; backwards if negative.
    func pass(_ more: Double) { seconds.withLock { $0 += more } }
}
