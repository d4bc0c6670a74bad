import ModelStore
import StoreEngine

/// A consumer in a history.
struct ModelConsumer {
    /// Its name in the store.
    let name: String
    let wanted: FeedModelReading.Wanted
    /// Whether it counts in the store what it is given; else that is noted elsewhere.
    let counts: Bool
    let lease: RetentionLease
    /// Up to where it has seen the feed; nil before it is made.
    var position: UInt64?
    /// How many changes it has counted.
    var count = 0

    /// With all leases that differ, and both kinds of effects.
    static let all = [
        ModelConsumer(name: "keeper", wanted: .all, counts: false, lease: RetentionLease()),
        ModelConsumer(name: "counter", wanted: .warm, counts: true, lease: RetentionLease()),
        ModelConsumer(name: "short", wanted: .celsius, counts: false, lease: RetentionLease(changeSets: 15)),
        ModelConsumer(name: "free", wanted: .sensors, counts: true, lease: .none),
    ]
}

/// What a consumer has counted.
@Record
struct Tally {
    @ID var name: String
    var count: Int
}
