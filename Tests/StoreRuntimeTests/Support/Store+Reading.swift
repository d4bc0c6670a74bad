import StoreEngine
import StoreRuntime

// One-line reads, because `#expect` cannot throw inside a read closure.
extension Store {
    func all<R: Record>(_ type: R.Type) throws -> [R] { try read { tx in try tx.all(type) } }

    /// Returns the change set with this number.
    func changeSet(_ sequence: UInt64) throws -> FeedEntry? {
        try read { tx in try tx._reading.feedEntry(sequence) }
    }

    func head() throws -> FeedHead { try read { tx in try tx._reading.feedHead() } }

    func findings() throws -> [VerifyFinding] {
        var found: [VerifyFinding] = []
        try verify { found.append($0) }
        return found
    }
}
