/// The sleepers of a ``TestClock`` with their deadlines, and the waiters for a number of sleepers. A pure state machine: it
/// returns what to wake.
struct SleepQueue<Sleeper, Watcher> {
    private struct Sleep {
        let number: Int
        let deadline: Duration
        let sleeper: Sleeper
    }

    private struct Watch {
        let number: Int
        let count: Int
        let watcher: Watcher
    }

    private(set) var now = Duration.zero
    /// By deadline, then by arrival.
    private var sleeps: [Sleep] = []
    private var watches: [Watch] = []
    private var lastNumber = 0

    /// The number of sleepers.
    var count: Int { sleeps.count }
    /// The earliest deadline.
    var nextDeadline: Duration? { sleeps.first?.deadline }

    /// Returns a number that identifies a sleep or a watch, to cancel it.
    mutating func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a sleeper with a deadline in the future.
    ///
    /// - Returns: the watchers whose number of sleepers is now reached.
    mutating func sleep(_ number: Int, until deadline: Duration, _ sleeper: Sleeper) -> [Watcher] {
        let index = sleeps.firstIndex { $0.deadline > deadline } ?? sleeps.endIndex
        sleeps.insert(Sleep(number: number, deadline: deadline, sleeper: sleeper), at: index)
        let ready = watches.filter { $0.count <= sleeps.count }.map(\.watcher)
        watches.removeAll { $0.count <= sleeps.count }
        return ready
    }

    /// Adds a watcher for a number of sleepers that is not reached yet.
    mutating func watch(_ number: Int, count: Int, _ watcher: Watcher) {
        watches.append(Watch(number: number, count: count, watcher: watcher))
    }

    /// Moves the time forward, never back.
    ///
    /// - Returns: the sleepers to wake, in order.
    mutating func move(to instant: Duration) -> [Sleeper] {
        now = max(now, instant)
        let end = sleeps.firstIndex { $0.deadline > now } ?? sleeps.endIndex
        defer { sleeps.removeFirst(end) }
        return sleeps[..<end].map(\.sleeper)
    }

    /// Cancels a sleep; nil if it has ended or has not begun.
    mutating func cancelSleep(_ number: Int) -> Sleeper? {
        sleeps.firstIndex { $0.number == number }.map { sleeps.remove(at: $0).sleeper }
    }

    /// Cancels a watch; nil if it has ended or has not begun.
    mutating func cancelWatch(_ number: Int) -> Watcher? {
        watches.firstIndex { $0.number == number }.map { watches.remove(at: $0).watcher }
    }
}
