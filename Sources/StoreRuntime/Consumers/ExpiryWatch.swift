import StoreEngine

/// Which consumers are known to have expired: a state machine without a lock.
struct ExpiryWatch {
    /// Tells one expiry of a consumer from a later one: it stays where it has expired until it is reset or made anew.
    private struct Mark: Hashable {
        let number: UInt32
        let sequence: UInt64
    }

    private var told: [String: Mark] = [:]

    /// Those of all consumers that have expired since they were last looked at.
    mutating func look(at consumers: [NamedConsumer]) -> [NamedConsumer] {
        var expired: [String: Mark] = [:]
        var new: [NamedConsumer] = []
        for consumer in consumers where consumer.state.isExpired {
            let mark = Mark(number: consumer.state.number, sequence: consumer.state.position.sequence)
            expired[consumer.name] = mark
            if told[consumer.name] != mark { new.append(consumer) }
        }
        told = expired
        return new
    }
}
