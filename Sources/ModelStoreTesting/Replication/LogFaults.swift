import ModelStoreReplication
import StoreEngine

/// The faults between a node and a ``MemoryLog``: a choice for each append, from a seed.
public struct LogFaults: Sendable {
    /// The share of appends that a fault hits, from 0 to 1.
    public var share: Double
    /// Whether the connection is cut.
    public var isCut = false
    private var random: TransactionRandom
    /// The appends that have not arrived yet.
    private var late: [LogEntry] = []

    /// Creates a plan of faults.
    ///
    /// - Parameters:
    ///   - seed: the same seed gives the same faults.
    ///   - share: the share of appends that a fault hits, from 0 to 1.
    public init(seed: UInt64 = 0, share: Double = 0) {
        random = TransactionRandom(seed: seed)
        self.share = share
    }

    enum Kind: CaseIterable {
        /// Nothing goes wrong.
        case none
        /// The engine cannot be reached, and says so.
        case refused
        /// The request does not arrive, and the node gets no answer.
        case requestLost
        /// The request arrives at some later time, and the node gets no answer.
        case requestLate
        /// The connection is cut before the request arrives.
        case cutBefore
        /// The request arrives, and the connection is cut before the answer.
        case cutAfter
        /// The request arrives, but the node gets no answer.
        case answerLost
        /// The request arrives twice.
        case doubled
    }

    /// Returns the fault of the next append, and an earlier append that arrives before it.
    mutating func next() -> (kind: Kind, late: LogEntry?) {
        let arrived = !late.isEmpty && random.next() % 4 == 0 ? late.removeFirst() : nil
        if isCut { return (.refused, arrived) }
        guard share > 0, Double(random.next() >> 11) / Double(1 << 53) < share else { return (.none, arrived) }
        let faulty = Kind.allCases.dropFirst()
        let kind = faulty[faulty.startIndex + Int(random.next() % UInt64(faulty.count))]
        if kind == .cutBefore || kind == .cutAfter { isCut = true }
        return (kind, arrived)
    }

    /// Keeps an append that arrives late.
    mutating func keep(_ entry: LogEntry) { late.append(entry) }
}
