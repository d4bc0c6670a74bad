public import Foundation
package import LMDB

/// A write transaction: all that one write closure does, kept or undone as a whole.
///
/// The closure gets it as `inout` and must not let it escape. An operation that throws has changed nothing, so a
/// closure may catch the error and go on; after one that no closure can go on from (the disk is full, the change set is
/// past its limit) the whole write fails, caught or not. A closure may run more than once (after the map grew); ``now``,
/// ``newID()`` and ``random`` give the same values each time, so that it does the same.
public struct WriteTransaction: ~Copyable, ReadableTransaction {
    var raw: LMDBWriteTransaction
    let state: StoreState
    var context: WriteContext
    /// The feed's head before this closure.
    let head: FeedHead
    /// A source of random numbers that a replay repeats.
    public var random: TransactionRandom

    var changes = NetChanges()
    @usableFromInline var encoder = FieldEncoder.forRecords()
    /// The key of the record at hand.
    var recordKey = ByteWriter()
    /// The state before of the record at hand.
    var oldRecord = ByteWriter()
    var scratch = WriteScratch()
    /// Records that are referred to and were not there when last seen.
    var missingTargets = MissingTargets()
    /// The greatest id assigned so far, by type, where this closure assigned one.
    var assigned: [UInt32: UInt64] = [:]
    /// The samples of the types that this closure has touched sampled records of, by type.
    var samples: [UInt32: SampleState?] = [:]
    /// What asked for this write, if that is an action.
    var action: RecordedAction?
    /// Whether it wrote something that is no change, such as a consumer's position.
    var didKeepHouse = false
    /// The incarnation of records that come without a change set.
    var seededIncarnation: UInt64?
    /// Whether the finished write shall carry its change set, for readers of the feed in this process.
    package var keepsEntry = false
    /// The types that go with the end of this transaction, by number: what is written to them now would be lost.
    private var endedTypes: Set<UInt32> = []
    /// An error after which this closure cannot be committed.
    private(set) var failure: StoreError?

    /// Begins a write closure's work in `raw`, after the change set `head`.
    package init(raw: consuming LMDBWriteTransaction, state: StoreState, head: FeedHead, context: WriteContext) {
        self.raw = raw
        self.state = state
        self.head = head
        self.context = context
        random = TransactionRandom(seed: context.seed)
    }

    /// The time of the transaction.
    public var now: Date { context.time }

    /// The first state of the random stream.
    package var seed: UInt64 { context.seed }

    /// A fresh identifier: a UUID of version 7 (RFC 9562), which sorts by time.
    public mutating func newID() -> UUID {
        let milliseconds = UInt64(Swift.max(0, now.timeIntervalSince1970 * 1_000))
        let high = milliseconds << 16 | 0x7000 | (random.next() & 0x0FFF)
        let low = random.next() >> 2 | 1 << 63
        return UUID(high: high, low: low)
    }

    public var _reading: ReadContext {
        @_lifetime(borrow self)
        borrowing get { ReadContext(snapshot: raw.snapshot, state: state) }
    }

    /// Tells this closure's transaction from any other.
    package var token: UInt64 { context.token }

    /// The incarnation that inserted records get: the sequence number that this closure's change set gets, or what was given for
    /// records that come from elsewhere.
    var incarnation: UInt64 { seededIncarnation ?? head.sequence + 1 }

    /// Turns an LMDB error into a store error and remembers it: LMDB refuses to commit after it.
    mutating func fail(_ error: LMDBError) -> StoreError { refuse(StoreError(error)) }

    /// Remembers that the closure cannot be committed, whatever it makes of `error`.
    mutating func refuse(_ error: StoreError) -> StoreError {
        failure = failure ?? error
        return error
    }

    /// Refuses from now on to add records to a type, or to change some: others have been made of those that it has.
    mutating func end(_ type: OpenType) { endedTypes.insert(type.type.id) }

    func requireNotEnded(_ type: OpenType) throws(StoreError) {
        guard !endedTypes.isEmpty, endedTypes.contains(type.type.id) else { return }
        throw StoreError(
            .invalidValue,
            "a record of \(type.name) is written after a step has made other records of them, and would be lost",
            remedy: "write it in a step before that one, or write a record of the new type")
    }

    /// Fails when what was written so far could not be committed: after an error that the closure went on from, and while a reference
    /// leads nowhere.
    package borrowing func requireWhole() throws(StoreError) {
        if let failure { throw failure }
        do {
            try requireTargets()
        } catch {
            throw StoreError(reading: error, at: "a record")
        }
    }

    /// The error that forbids a commit, if the closure met one and went on.
    package var pendingFailure: StoreError? { failure }
}

/// Buffers of a write transaction, kept so that a warm one allocates nothing.
struct WriteScratch: ~Copyable {
    var newEntryKey = ByteWriter()
    var newEntryData = ByteWriter()
    var oldEntryKey = ByteWriter()
    var oldEntryData = ByteWriter()

    /// Whether the old and the new entry have one key.
    var isUnmoved: Bool { oldEntryKey.bytes.isEqual(to: newEntryKey.bytes) }
}
