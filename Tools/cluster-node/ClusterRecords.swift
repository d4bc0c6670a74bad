import ModelStore

/// A value that the demonstration writes.
@Record
struct Measurement {
    @ID var id: String
    var value: Int
}

/// A write of the rounds, with the number that its transaction has given it.
@Record
struct Step {
    @ID var token: String
    @Indexed var number: Int
}

/// A number that every write of the rounds reads and raises, or the number of steps that the consumer has counted.
@Record
struct Counter {
    @ID var name: String
    var count: Int

    static let steps = "steps"
    static let consumed = "consumed"

    /// Raises a counter, and returns its new value.
    @discardableResult
    static func raise(_ name: String, by amount: Int = 1, _ tx: inout WriteTransaction) throws -> Int {
        var counter = try tx.get(Counter.self, id: name) ?? Counter(name: name, count: 0)
        counter.count += amount
        try tx.upsert(counter)
        return counter.count
    }
}
