public import Foundation
package import LMDB
public import StoreEngine

/// The options for opening a store. If a process opens a directory a second time, the options of the first open apply, and only
/// ``isReadOnly`` of its own.
///
/// Opening a store with an option outside its range fails with ``StoreError/Code/invalidValue``, and creates nothing. The ranges
/// are in <doc:Reliability#Ranges-of-options>.
public struct StoreOptions: Sendable {
    /// Whether the store is open for reading only. Nothing is created then, and a closed store may be on read-only media. Opening
    /// a store that no process has closed recovers it, which writes.
    public var isReadOnly = false
    /// Whether a missing store is created. Its directory must be missing or hold no other files. A missing directory is created
    /// in an existing one.
    public var createsIfMissing = true
    /// The durability of writes that ask for no other.
    public var durability = Durability.full
    /// The greatest size of the store in bytes, from 4 MiB to 64 TiB; nil, the default, for no limit.
    ///
    /// The limit covers the lengths of `data.mdb`, `redo.log`, `redo.checkpoint`, `lock.mdb` and `feed.wake` together. They never
    /// exceed it, whichever writes come, as long as every process that writes to the store sets the same limit. The store does
    /// not save it.
    ///
    /// At the limit, a write that makes records longer or more fails with ``StoreError/Code/storeFull`` and changes nothing.
    /// Reads work, and so do writes that make records shorter or fewer, for which the store keeps a sixteenth of the limit free,
    /// at least 512 KiB and at most 16 MiB. New records then use the freed pages again: the file does not shrink. See
    /// <doc:Reliability#Limit-the-size-of-a-store>.
    ///
    /// A store that is larger already opens, reads and deletes, and may grow by that reserve. With a limit, the feed takes about
    /// a quarter of it at most, unless you set ``StoreLimits/retainedFeedByteCount``.
    public var maximumByteCount: Int?
    /// How much address space the store's map takes at first, in bytes. It takes neither memory nor disk, and is less if the
    /// system's limit forbids it. A full map grows.
    package var addressSpaceByteCount = 1 << 40
    /// The most processes and threads that read at the same time, from 1 to 1,000,000. The first program that opens the store
    /// fixes it. In a store with a redo log, each process that writes counts once more.
    public var maximumReaders = 1_024
    /// The most LMDB databases that the environment has open at the same time. The store itself needs up to six, and each record
    /// type and each index one. Adding a record type past that fails. Each costs every transaction some 60 bytes. From 1 to
    /// 65,536.
    public var maximumDatabases = 512
    /// Whether to open a store on a network file system, although its locks may not work there.
    public var allowsNetworkFileSystem = false
    /// The access mode of new files, at most 0o7777.
    public var fileMode: UInt32 = 0o640
    /// The limits that the store enforces.
    public var limits = StoreLimits()
    /// The longest wait of a write until its closure begins, and of opening the store while another process writes. A write that
    /// waits longer fails with `writeTimeout`, and nothing of it is committed. From zero to a century; nil means no limit.
    public var writeTimeout: Duration?
    /// When a snapshot that a reader holds is reported.
    public var snapshotLimits = SnapshotLimits()
    /// The name of this program in the feed, in at most 255 bytes. The default is the name of the executable.
    public var originName = ProcessInfo.processInfo.processName
    /// The migrations that bring a store from earlier versions of the program to this one. They are for changes that opening a
    /// store does not make by itself.
    public var migrations: MigrationPlan?
    /// Whether opening the store builds missing indexes before it returns. If false, call ``Store/buildIndexes()``; until then,
    /// the store looks nothing up in them.
    public var buildsIndexes = true
    /// Receives the progress of building indexes after each chunk, on the thread that opens the store or calls
    /// ``Store/buildIndexes()``.
    public var indexProgress: (@Sendable (IndexProgress) -> Void)?
    /// Whether opening an existing store for writing raises it to the newest format that it can have, and adds what the format
    /// brings. A store of an older format otherwise stays as it is, and ``StoreEvent/olderFormat(found:newest:)`` reports it. The
    /// newest of all formats is that of new stores only.
    ///
    /// Programs with an earlier version of ModelStore cannot use the store afterwards: opening it fails with `newerFormat`, and
    /// so does the next transaction of a running program. Set this option once the last of these programs is gone.
    ///
    /// A redo log is added only while no other process has the store open. Until then, each opening tries it again.
    public var upgradesFormat = false
    /// Whether a new store gets a redo log, which makes a durable commit cost one sync instead of two. A store that
    /// ``upgradesFormat`` raises gets one too, unless `store-cli redo-log off` has turned its log off.
    ///
    /// An existing store keeps its log, or stays without one, whatever this option says. Use `store-cli redo-log` to turn the log
    /// of a store on and off.
    public var usesRedoLog = true
    /// Receives the events of the store. For a commit, the thread that commits calls it before the writes return, and waits for
    /// it. It must be quick, and must not use the store.
    ///
    /// While it is nil, the store counts and times no commits, and writes these events to standard error:
    /// ``StoreEvent/writerBlocked(processID:waited:)``, ``StoreEvent/recoveryAwaited(waited:)``, ``StoreEvent/filesMended(_:)``,
    /// ``StoreEvent/snapshotHeld(_:)`` and ``StoreEvent/logFilling(byteCount:limit:)``.
    public var onEvent: (@Sendable (StoreEvent) -> Void)?
    /// Receives the events of which a program must hear even if it handles none.
    var warn: @Sendable (StoreEvent) -> Void { onEvent ?? StandardErrorNotice.write }
    /// The options for keeping models and other objects alive, and for reporting problems with them.
    public var ownership = OwnershipOptions()
    /// The clock that gives transactions their time.
    public var clock: @Sendable () -> Date = { Date() }
    /// The source of the seed for each transaction's random stream.
    public var randomSeed: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    /// The process id that the feed records as the origin; nil for the id of this process. Tests set it, so that the same run
    /// writes the same feed.
    package var originProcessID: Int32?
    /// How a new store hashes long keys. Tests set it, so that they know the keys.
    package var keyHash: @Sendable () -> KeyHash = { .random() }
    /// Whether writes and steps run on the calling thread, also that of a task, instead of the store's own threads. For tests
    /// with a schedule of their own. The next write here publishes the commits of other processes.
    package var worksOnCallers = false
    /// The log that orders the commits of the store and of its replicas.
    package var commitLog: (any CommitLog)?
    /// Whether the data file is a copy of another replica, which becomes a replica of its own with the same feed.
    var isJoining = false
    /// Whether the store, which is a replica, becomes one without a log.
    var isLeaving = false
    /// The first content of a new store that continues an earlier one.
    package var start: ReplicaStart?
    /// Whether opening the store makes no redo log: its data file is made here for another directory.
    package var leavesRedoLog = false
    /// When the redo log makes a checkpoint.
    package var redoLimits = RedoLimits()
    /// Whether the store is removed when it is closed, so that nothing needs to be synced.
    var isTemporary = false
    /// How long a write waits for another process before an event reports it.
    var writerBlockedAfter = Duration.seconds(1)
    /// How long a process has written nothing, at least half of it, before it gives up its hold on the last checkpoint.
    var logRestsAfter = Duration.seconds(1)
    /// The longest time between two looks of the writer thread at the feed and the readers, in seconds.
    var upkeepSeconds = 30.0

    /// More databases than any store has, for tools that open every store. Each database costs every transaction some 60 bytes.
    package static let databasesOfAnyStore = 65_536

    /// Creates the default options.
    public init() {}

    /// The options of the store's environment.
    var environment: LMDBEnvironment.Options {
        var environment = LMDBEnvironment.Options(
            mapSize: addressSpaceByteCount, maximumReaders: maximumReaders, maximumDatabases: maximumDatabases,
            isReadOnly: isReadOnly, syncs: !isTemporary, allowsNetworkFileSystem: allowsNetworkFileSystem,
            fileMode: fileMode)
        environment.maximumByteCount = maximumByteCount
        environment.redoLimits = redoLimits.fitting(storeByteCount: maximumByteCount)
        environment.recoveryPatience = writeTimeout
        return environment
    }

    /// The origin that the feed records for this program's writes.
    var origin: Origin { Origin(name: originName, processID: originProcessID ?? getpid()) }

    /// Checks the name that the feed would keep.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func checkOriginName() throws(StoreError) {
        // The part of a feed entry before its changes must lie in the first fragment.
        if originName.contains(Origin.consumerMark) {
            throw StoreError(
                .invalidValue, "the program's name \(originName) contains \(Origin.consumerMark)",
                remedy:
                    "set another StoreOptions.originName, because \(Origin.consumerMark) separates it from a consumer's name in the feed"
            )
        }
        if origin.kind != .user {
            throw StoreError(
                .invalidValue, "the program's name \(originName) ends like the kind of a change set in the feed",
                remedy: "set another StoreOptions.originName")
        }
        guard originName.utf8.count > 255 else { return }
        throw StoreError(
            .invalidValue, "the program's name has \(originName.utf8.count) bytes",
            remedy: "set a StoreOptions.originName of at most 255 bytes")
    }
}
