import StoreEngine

/// The writes of a commit that no change set has, and that other replicas need.
struct WrittenAside {
    /// The greatest id that they have assigned, by the number of the type.
    private(set) var assigned: [UInt32: UInt64] = [:]
    /// The names of the consumers that they have written.
    private(set) var consumers: Set<String> = []

    /// The change of the sum of all records.
    private(set) var contentChange = ContentSum()

    /// Adds what one closure has written.
    mutating func add(_ write: borrowing FinishedWrite) {
        assigned.merge(write.assigned) { max($0, $1) }
        consumers.formUnion(write.writtenConsumers)
        contentChange += write.contentChange
    }
}
