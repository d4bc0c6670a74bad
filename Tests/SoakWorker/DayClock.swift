import Foundation
import Synchronization

/// A clock that moves with the commits, so that a day takes as long as its commits.
final class DayClock: Sendable {
    private let seconds = Mutex(0.0)

    var now: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

    func advance(by interval: Double) { seconds.withLock { $0 += interval } }
}
