public import Foundation
package import LMDB

/// A write transaction: all operations of one write closure, which the store commits or rolls back as a whole.
///
/// The closure receives it as `inout` and must not let it escape.
///
/// An operation that throws has changed nothing, so a closure may catch the error and continue. After some errors the write
/// cannot continue, for example if the disk is full or the change set exceeds its limit. The whole write then fails, even if the
/// closure catches the error.
///
/// A closure may run more than once, because the store reruns it after the map has grown. ``now``, ``newID()`` and ``random``
/// give the same values each time, so that the closure does the same.
public struct WriteTransaction: ~Copyable, ReadableTransaction {
    var raw: LMDBWriteTransaction
    let state: StoreState
    var context: WriteContext
    /// The head of the feed before this closure.
    let head: FeedHead
    /// A source of random numbers that a replay reproduces.
    public var random: TransactionRandom

    var changes = NetChanges()
    @usableFromInline var encoder = FieldEncoder.forRecords()
    /// The key of the current record.
    var recordKey = ByteWriter()
    /// The current record in its state before the operation.
    var oldRecord = ByteWriter()
    var scratch = WriteScratch()
    /// Records that are referred to and did not exist at the last check.
    var missingTargets = MissingTargets()
    /// The greatest id that this closure has assigned, by type.
    var assigned: [UInt32: UInt64] = [:]
    /// The samples of the types whose sampled records this closure has touched, by type.
    var samples: [UInt32: SampleState?] = [:]
    /// The action that caused this write, if there was one.
    var action: RecordedAction?
    /// Whether the closure wrote something that is not a change, such as a consumer's position.
    var didKeepHouse = false
    /// The names of the consumers that the closure has written.
    var writtenConsumers: Set<String> = []
    /// The incarnation of records that are stored without a change set.
    var seededIncarnation: UInt64?
    /// Whether the finished write keeps its change set in memory, for readers of the feed in this process.
    package var keepsEntry = false
    /// Whether the finished write says how it changes the sum of the records.
    package var sumsContent = false
    /// The numbers of the types that end with this transaction: a write to them now would be lost.
    private var endedTypes: Set<UInt32> = []
    /// The error that prevents this closure from committing.
    private(set) var failure: StoreError?

    /// Begins the work of a write closure in `raw`, after the change set `head`.
    package init(raw: consuming LMDBWriteTransaction, state: StoreState, head: FeedHead, context: WriteContext) {
        self.raw = raw
        self.state = state
        self.head = head
        self.context = context
        random = TransactionRandom(seed: context.seed)
    }

    /// The time of the transaction.
    public var now: Date { context.time }

    /// The initial state of the random stream.
    package var seed: UInt64 { context.seed }

    /// Returns a new identifier: a UUID of version 7 (RFC 9562), which sorts by time.
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

    /// Identifies the transaction of this closure.
    package var token: UInt64 { context.token }

    /// The incarnation of inserted records: the sequence number of this closure's change set, or `seededIncarnation` for records
    /// that are stored without a change set.
    var incarnation: UInt64 { seededIncarnation ?? head.sequence + 1 }

    /// Converts an LMDB error to a store error and remembers it, because LMDB refuses to commit after it.
    mutating func fail(_ error: LMDBError) -> StoreError { refuse(StoreError(error)) }

    /// Remembers that the closure cannot be committed, even if the closure catches `error`.
    mutating func refuse(_ error: StoreError) -> StoreError {
        failure = failure ?? error
        return error
    }

    /// Refuses further inserts and updates of a type, because a step has already made other records from its records.
    mutating func end(_ type: OpenType) { endedTypes.insert(type.type.id) }

    func requireNotEnded(_ type: OpenType) throws(StoreError) {
        guard !endedTypes.isEmpty, endedTypes.contains(type.type.id) else { return }
        throw StoreError(
            .invalidValue,
            "a record of \(type.name) was written after a step had transformed these records, and would be lost",
            remedy: "write it in an earlier step, or write a record of the new type")
    }

    /// Throws if the writes so far could not be committed: after an error that the closure caught, or while a reference leads to
    /// no record.
    package borrowing func requireWhole() throws(StoreError) {
        if let failure { throw failure }
        do {
            try requireTargets()
        } catch {
            throw StoreError(reading: error, at: "a record")
        }
    }

    /// The error that prevents a commit, if the closure caught it and continued.
    package var pendingFailure: StoreError? { failure }

    /// Whether the writes so far make the records shorter or fewer, or change none. They may use the reserve of a store that has
    /// reached its greatest size.
    package var freesSpace: Bool { changes.entries.isEmpty && action == nil || changes.growthByteCount < 0 }
}

/// Buffers of a write transaction. It reuses them, so that it allocates nothing once they have grown.
struct WriteScratch: ~Copyable {
    var newEntryKey = ByteWriter()
    var newEntryData = ByteWriter()
    var oldEntryKey = ByteWriter()
    var oldEntryData = ByteWriter()

    /// Whether the old and the new entry have the same key.
    var isUnmoved: Bool { oldEntryKey.bytes.isEqual(to: newEntryKey.bytes) }
}
