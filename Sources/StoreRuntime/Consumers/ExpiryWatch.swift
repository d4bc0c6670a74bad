import StoreEngine

/// The consumers that are known to have expired: a state machine without a lock.
struct ExpiryWatch {
    /// Distinguishes one expiry of a consumer from a later one. A consumer stays where it has expired until it is reset or
    /// created again.
    private struct Mark: Hashable {
        let number: UInt32
        let sequence: UInt64
    }

    private var reported: [String: Mark] = [:]

    /// Returns the consumers that have expired since the last look.
    mutating func look(at consumers: [NamedConsumer]) -> [NamedConsumer] {
        var expired: [String: Mark] = [:]
        var new: [NamedConsumer] = []
        for consumer in consumers where consumer.state.isExpired {
            let mark = Mark(number: consumer.state.number, sequence: consumer.state.position.sequence)
            expired[consumer.name] = mark
            if reported[consumer.name] != mark { new.append(consumer) }
        }
        reported = expired
        return new
    }
}
