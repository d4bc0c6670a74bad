/// The callers that wait until a replica has applied an entry.
struct StatusWaiters {
    typealias Waiter = CheckedContinuation<Void, any Error>

    private var waiters: [Int: (index: UInt64, waiter: Waiter)] = [:]
    private var lastNumber = 0

    /// Returns a number for a caller that will wait.
    mutating func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func add(_ waiter: Waiter, _ number: Int, index: UInt64) { waiters[number] = (index, waiter) }

    /// Removes and returns a caller; nil if it does not wait.
    mutating func remove(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number)?.waiter }

    /// Removes and returns the callers that wait for an entry up to `index`.
    mutating func remove(upTo index: UInt64) -> [Waiter] {
        if waiters.isEmpty { return [] }
        let due = waiters.filter { $0.value.index <= index }
        for number in due.keys { waiters[number] = nil }
        return due.values.map(\.waiter)
    }

    mutating func removeAll() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.values.map(\.waiter)
    }
}
