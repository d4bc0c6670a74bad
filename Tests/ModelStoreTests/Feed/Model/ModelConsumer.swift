import ModelStore
import StoreEngine

/// A consumer in a history.
struct ModelConsumer {
    /// Its name in the store.
    let name: String
    let wanted: FeedModelReading.Wanted
    /// Whether the consumer counts changes in the store. Otherwise it records them outside.
    let counts: Bool
    let lease: RetentionLease
    /// The last change set that it has seen; nil before it is created.
    var position: UInt64?
    /// The number of changes it has counted.
    var count = 0

    /// Consumers with every kind of lease and both kinds of effects.
    static let all = [
        ModelConsumer(name: "keeper", wanted: .all, counts: false, lease: RetentionLease()),
        ModelConsumer(name: "counter", wanted: .warm, counts: true, lease: RetentionLease()),
        ModelConsumer(name: "short", wanted: .celsius, counts: false, lease: RetentionLease(changeSets: 15)),
        ModelConsumer(name: "free", wanted: .sensors, counts: true, lease: .none),
    ]
}

/// The number of changes that a consumer has counted.
@Record
struct Tally {
    @ID var name: String
    var count: Int
}
