/// Who sleeps until when, and who waits for sleepers: the state of a ``TestClock``. Pure: it answers whom to wake.
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
    /// By deadline, and by arrival where that is the same.
    private var sleeps: [Sleep] = []
    private var watches: [Watch] = []
    private var lastNumber = 0

    /// How many sleep.
    var count: Int { sleeps.count }
    /// When the first of them is to wake.
    var nextDeadline: Duration? { sleeps.first?.deadline }

    /// A number by which a sleep or a watch is called off.
    mutating func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Lets one sleep whose deadline is to come.
    ///
    /// - Returns: who waited for that many sleepers.
    mutating func sleep(_ number: Int, until deadline: Duration, _ sleeper: Sleeper) -> [Watcher] {
        let index = sleeps.firstIndex { $0.deadline > deadline } ?? sleeps.endIndex
        sleeps.insert(Sleep(number: number, deadline: deadline, sleeper: sleeper), at: index)
        let ready = watches.filter { $0.count <= sleeps.count }.map(\.watcher)
        watches.removeAll { $0.count <= sleeps.count }
        return ready
    }

    /// Has one told when so many sleep, which is not now.
    mutating func watch(_ number: Int, count: Int, _ watcher: Watcher) {
        watches.append(Watch(number: number, count: count, watcher: watcher))
    }

    /// Moves the time on, never back.
    ///
    /// - Returns: who is to wake, in order.
    mutating func move(to instant: Duration) -> [Sleeper] {
        now = max(now, instant)
        let end = sleeps.firstIndex { $0.deadline > now } ?? sleeps.endIndex
        defer { sleeps.removeFirst(end) }
        return sleeps[..<end].map(\.sleeper)
    }

    /// Calls a sleep off; nil where it is over, or has not begun.
    mutating func cancelSleep(_ number: Int) -> Sleeper? {
        sleeps.firstIndex { $0.number == number }.map { sleeps.remove(at: $0).sleeper }
    }

    /// Calls a watch off; nil where it is over, or has not begun.
    mutating func cancelWatch(_ number: Int) -> Watcher? {
        watches.firstIndex { $0.number == number }.map { watches.remove(at: $0).watcher }
    }
}
