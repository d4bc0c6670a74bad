public import Foundation
public import StoreEngine

/// How a store is opened. A second open of a directory in one process takes the options of the first, and of its own
/// ``isReadOnly`` alone.
public struct StoreOptions: Sendable {
    /// Whether the store is only read. Nothing is created then, and a store on read-only media can be opened.
    public var isReadOnly = false
    /// Whether a missing store is created, in a directory that is missing or holds no other files. A missing directory is
    /// created in one that exists.
    public var createsIfMissing = true
    /// What writes survive unless they say otherwise.
    public var durability = Durability.full
    /// The greatest size of the store in bytes. It is address space, not memory or disk; the standard is 1 TiB, less
    /// where the system's limit forbids it.
    public var mapByteCount = 1 << 40
    /// The most processes and threads that read at once. Fixed by the first program that opens the store.
    public var maximumReaders = 1_024
    /// The most databases of LMDB that the environment has open at once: up to six for the store itself, one for each record
    /// type and one for each of its indexes. Adding a record type past that fails. Each costs every transaction some 60
    /// bytes.
    public var maximumDatabases = 512
    /// Whether to open a store on a network file system although its locks may not work there.
    public var allowsNetworkFileSystem = false
    /// The access mode of new files.
    public var fileMode: UInt32 = 0o640
    /// What the store refuses to take.
    public var limits = StoreLimits()
    /// The longest wait of a write until its closure begins, and of opening the store for another process that writes. A
    /// write that waits longer fails with `writeTimeout`, and nothing of it is committed. No limit when nil.
    public var writeTimeout: Duration?
    /// How this program is called in the feed, in at most 255 bytes. The standard is the name of the executable.
    public var originName = ProcessInfo.processInfo.processName
    /// How to bring a store from earlier versions of the program to this one, where that takes more than what opening it does
    /// by itself.
    public var migrations: MigrationPlan?
    /// Whether opening the store builds the indexes that it lacks before it returns. Without, they are built by
    /// ``Store/buildIndexes()``; until then nothing is looked up in them.
    public var buildsIndexes = true
    /// Told how far the building of indexes is, after each chunk, on the thread that opens the store.
    public var indexProgress: (@Sendable (IndexProgress) -> Void)?
    /// Told what happens to the store: each commit before its writes return. It is called by whoever commits, who waits for it;
    /// it must be quick, and must not use the store. Without one nothing is counted or timed.
    public var onEvent: (@Sendable (StoreEvent) -> Void)?
    /// How models and other objects are kept alive, and who is told of what is amiss there.
    public var ownership = OwnershipOptions()
    /// Where transactions get their time.
    public var clock: @Sendable () -> Date = { Date() }
    /// Where transactions get the first state of their random stream.
    public var randomSeed: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    /// The process id that the feed names as its origin; nil for that of this process. Tests give one, so that the same run
    /// writes the same feed.
    package var originProcessID: Int32?
    /// Whether writes and steps are done on the thread that asks for them, also those of tasks, and not on threads of the store's
    /// own. For tests with a schedule of their own; what other processes write is shown with the next write here.
    package var worksOnCallers = false
    /// The first content of a new store that continues an earlier one.
    var start: ReplicaStart?
    /// Whether the store goes when it is closed, so that nothing needs to be synced.
    var isTemporary = false
    /// How long a write waits for another process until an event reports it.
    var writerBlockedAfter = Duration.seconds(1)
    /// How often the writer thread looks after the feed and readers at least, in seconds.
    var upkeepSeconds = 30.0

    /// The standard options.
    public init() {}

    /// Who the feed says has written what this program writes.
    var origin: Origin { Origin(name: originName, processID: originProcessID ?? getpid()) }

    /// Checks what the store would keep.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func check() throws(StoreError) {
        // What stands before the changes of a feed entry must lie in its first fragment.
        if originName.contains(Origin.consumerMark) {
            throw StoreError(
                .invalidValue, "a program's name with \(Origin.consumerMark), \(originName)",
                remedy:
                    "set another StoreOptions.originName, as \(Origin.consumerMark) separates it from a consumer's name in the feed"
            )
        }
        guard originName.utf8.count > 255 else { return }
        throw StoreError(
            .invalidValue, "a program's name of \(originName.utf8.count) bytes",
            remedy: "give it one of at most 255 in StoreOptions.originName")
    }
}
