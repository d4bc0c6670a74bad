import Foundation
import Synchronization

/// A clock that stands until it is moved.
final class StandingClock: Sendable {
    private let seconds = Mutex(0.0)

    var now: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

    /// Moves it; backwards when `more` is negative.
    func pass(_ more: Double) { seconds.withLock { $0 += more } }
}
