#if OpenCombine
@unsafe @preconcurrency import OpenCombine
import StoreRuntime

/// The demand of a subscriber, and the values that wait for it: a state machine without a lock.
///
/// Sendable, because Combine allows calls of a subscriber on any thread, one call at a time.
struct DeliveryState<Downstream: Subscriber>: @unchecked Sendable {
    /// The next work of the thread that delivers.
    enum Delivery {
        case value(Downstream.Input, Downstream), end(Downstream)
    }

    /// Nil after the end.
    private var downstream: Downstream?
    private var supply: (any ValueSupply)?
    private var demand = Subscribers.Demand.none
    /// The values that the subscriber has requested and not received, in order.
    private var waiting: [Downstream.Input] = []
    /// The values that are delivered before those that wait, in reverse order.
    private var coming: [Downstream.Input] = []
    private var isDelivering = false
    private var isComplete = false

    init(_ downstream: Downstream) { self.downstream = downstream }

    /// Whether the subscriber has demand for another value.
    var isReady: Bool { downstream != nil && demand > .none }

    /// Keeps the supply of the values.
    ///
    /// - Returns: false after the end.
    mutating func keep(_ supply: any ValueSupply) -> Bool {
        if downstream == nil { return false }
        self.supply = supply
        return true
    }

    /// Adds demand.
    ///
    /// - Returns: the supply to resume.
    mutating func request(_ more: Subscribers.Demand) -> (any ValueSupply)? {
        demand += more
        return supply
    }

    /// Keeps a value, and takes it from the demand.
    mutating func keep(_ value: Downstream.Input) {
        guard isReady else { return }
        demand -= 1
        waiting.append(value)
    }

    /// Notes that no more values come.
    mutating func complete() { isComplete = true }

    /// Makes the calling thread the one that delivers.
    ///
    /// - Returns: the subscriber; nil after the end, and while another thread delivers.
    mutating func begin() -> Downstream? {
        if isDelivering { return nil }
        isDelivering = downstream != nil
        return downstream
    }

    /// Returns the next work; nil if there is none, and then the thread no longer delivers.
    mutating func next() -> Delivery? {
        guard let downstream else {
            isDelivering = false
            return nil
        }
        if coming.isEmpty {
            swap(&coming, &waiting)
            coming.reverse()
        }
        if let value = coming.popLast() { return .value(value, downstream) }
        if isComplete { return .end(downstream) }
        isDelivering = false
        return nil
    }

    /// Ends the subscription.
    ///
    /// - Returns: the supply to cancel, and the objects to release outside the lock.
    mutating func end() -> (supply: (any ValueSupply)?, others: (Downstream?, [Downstream.Input], [Downstream.Input])) {
        defer { (downstream, supply, waiting, coming) = (nil, nil, [], []) }
        return (supply, (downstream, waiting, coming))
    }
}
#endif
