import Foundation
import LMDB
import StoreEngine

/// The steps of opening a store, after its environment is open.
enum StoreOpening {
    /// Creates or opens the store for writing. Adds the record types that the program declares, and those of their fields and
    /// indexes that can be added without loss. Runs on the writer thread.
    ///
    /// - Parameter isShared: whether this process already has the store open, so that no step of the plan may run.
    static func writableState(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type], isShared: Bool = false
    ) throws -> StoreState {
        if let plan = options.migrations {
            let runner = MigrationRunner(environment: environment, options: options, plan: plan)
            if isShared { try runner.requireNoStep() }
            try plan.requireNewest(records)
            try runner.run()
        }
        return try settled(environment, options: options, records: records) { editor in
            for record in records {
                // A plan may replace a type's records and continue to use the type.
                if options.migrations == nil { try editor.requireNotOlder(record.recordSchema) }
                try editor.adapt(to: record.recordSchema)
            }
        }
    }

    /// Returns the state of a store that is as opening it with `records` leaves it. If the store already is, this takes no write
    /// transaction, which would wait for other writers.
    ///
    /// - Parameter adapt: changes the catalog to match `records`.
    static func settled(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type],
        _ adapt: (inout CatalogEditor) throws -> Void
    ) throws -> StoreState {
        // A program must not rely on pages that a failed sync has left. A write transaction syncs them.
        let hasFailedSync = try mapLMDB { () throws(LMDBError) in try environment.hasFailedSync() }
        // If reading fails, the transaction that may write looks again and throws the error.
        if !hasFailedSync, !options.isLeaving,
            let state = try? settledState(environment, options: options, records: records)
        {
            return state
        }
        return try edit(environment, options: options, records: records, adapt)
    }

    private static func settledState(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type]
    ) throws -> StoreState? {
        let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        let found = try StoreReading(raw.snapshot, at: environment.path, options: options, records: records)
        let home = environment.fileIdentity.homeBytes
        guard try TrailSetting.isSettled(options.limits.changedRecordLimit, found.state.databases, raw.snapshot) else {
            return nil
        }
        try requireLog(isCopy: false, options, found.state.databases, raw.snapshot)
        let format = format(of: found.header.format, environment, options)
        return try found.isSettled(format: format, home: home, records: records, raw.snapshot) ? found.state : nil
    }

    /// Runs `body` on the catalog in a transaction of its own and returns the state after it. Runs `body` again if the store's
    /// log has other changes before it. Runs on the writer thread.
    ///
    /// - Parameter usesReserve: whether the transaction may use the reserve of a store with a greatest size.
    static func edit(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type],
        usesReserve: Bool = true, _ body: (inout CatalogEditor) throws -> Void
    ) throws -> StoreState {
        while true {
            do {
                return try editOnce(
                    environment, options: options, records: records, log: options.commitLog, usesReserve: usesReserve,
                    body)
            } catch is CommitLogIsAhead {
                try options.commitLog?.catchUp()
            }
        }
    }

    /// Runs `body` once.
    ///
    /// - Parameters:
    ///   - context: the inputs of the transaction; nil for new ones.
    ///   - epoch: the epoch from here on; nil to keep the current one.
    ///   - log: receives the changes; nil if they come from there.
    ///   - usesReserve: whether the transaction may use the reserve of a store with a greatest size.
    static func editOnce(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type],
        context given: WriteContext? = nil, epoch: UInt64? = nil, log: (any CommitLog)?, usesReserve: Bool = true,
        _ body: (inout CatalogEditor) throws -> Void
    ) throws -> StoreState {
        var raw = try mapLMDB { () throws(LMDBError) in
            try environment.beginWrite(patience: options.writeTimeout)
        }
        if usesReserve { raw.useReserve() }
        var databases = try openDatabases(&raw)
        let home = environment.fileIdentity.homeBytes
        let context = given ?? context(options)
        var random = TransactionRandom(seed: context.seed)
        let isNew = try StoreFormat.isUnborn(databases, raw.snapshot)
        let header =
            isNew
            ? try made(&databases, isLogged: environment.logsCommits, options, home: home, random: &random, &raw)
            : try StoreFormat.header(databases, raw.snapshot)
        let format = format(of: header.format, environment, options)
        let getsStatistics = databases.statistics == nil && format >= StoreFormat.versionWithoutLog
        if getsStatistics {
            databases.statistics = try raw.openDatabase(named: StoreDatabases.statisticsName, create: true)
        }
        var head = header.head
        // Only ModelStore has written to it so far.
        if isNew { head.transactionID = UInt64(raw.snapshot.transactionID) - 1 }
        if let epoch { head.epoch = epoch }
        let isMoved = header.home != home
        let isCopy = isMoved && !options.isJoining
        if options.isLeaving {
            try StoreFormat.removeReplica(databases, &raw)
            try ContentSum.forget(databases, &raw)
        }
        try requireLog(isCopy: isCopy, options, databases, raw.snapshot)
        if isCopy || options.isLeaving {
            // The store must not accept positions of the original, or of the other replicas, as its own.
            head.epoch = random.next()
            try TrailSetting.beginEpoch(head, databases, &raw)
        }
        if isMoved { try StoreFormat.writeHome(home, databases, &raw) }
        let hadForeignWrites = try ForeignWrites.note(&head, databases, context, in: &raw)
        if hadForeignWrites, options.commitLog != nil { throw ForeignWrites.inReplica }
        var didWrite = isMoved || hadForeignWrites || options.isLeaving
        let wantedTrail = options.limits.changedRecordLimit
        didWrite = try didWrite || !TrailSetting.isSettled(wantedTrail, databases, raw.snapshot)
        let hasNewTrail = try TrailSetting.settle(wantedTrail, &databases, head: head, &raw)
        if header.format < format { try StoreFormat.writeVersion(format, databases, &raw) }
        var editor = try CatalogEditor(raw: raw, databases: databases, head: head, context: context)
        // Other programs that have the store open must open the trail too.
        if header.format < format || hasNewTrail { editor.announce() }
        if isNew, let start = options.start {
            for type in start.types { try editor.adopt(type) }
        }
        try body(&editor)
        let retired = editor.replaced
        let finished = try editor.finish(version: header.catalogVersion)
        let types = finished.types
        let (version, changesForm) = (finished.version, finished.changesForm)
        head = finished.head
        didWrite = didWrite || finished.didWrite || getsStatistics || header.head.transactionID == 0
        raw = finished.intoRaw()
        let catalog = try Catalog(version: version, types: types, records: records, retired: retired)
        if didWrite { try head.write(databases, in: &raw) }
        if changesForm, options.commitLog != nil { try ContentSum.forget(databases, &raw) }
        let isLogged =
            try log?.orderSchema(types.map(\.type), after: header.head.sequence, to: head, databases, &raw) ?? false
        // Commits even if nothing was written: LMDB keeps the handles that the transaction opened only if it commits.
        if let failure = raw.commitFailure() { throw failure }
        if isLogged { log?.committed() }
        return StoreState(identity: header.identity, databases: databases, limits: options.limits, catalog: catalog)
    }

    /// Returns the format that a store has after it was opened for writing. It stays as it is, unless the program asks for a
    /// newer one.
    ///
    /// - Parameter found: the format that it has now.
    private static func format(of found: UInt32, _ environment: LMDBEnvironment, _ options: StoreOptions) -> UInt32 {
        // Programs that do not know the log would write past it.
        if environment.logsCommits { return max(found, StoreFormat.versionWithLog) }
        return options.upgradesFormat ? max(found, StoreFormat.versionWithoutLog) : found
    }

    /// Returns the format of a store, and the newest that it can have, if that is newer.
    static func olderFormat(
        _ environment: LMDBEnvironment, _ state: StoreState, _ options: StoreOptions
    ) throws(StoreError) -> FormatUpgrade? {
        let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        let upgrade = try FormatUpgrade(state.databases, raw.snapshot, usesRedoLog: options.usesRedoLog)
        return upgrade.isNeeded ? upgrade : nil
    }

    /// Throws if a store that is a replica is opened for writing without its log, or is a copy of one.
    ///
    /// - Throws: ``StoreError``: `isReplica`; `replicaDiverged` for a copy.
    private static func requireLog(
        isCopy: Bool, _ options: StoreOptions, _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) {
        guard try StoreFormat.replica(databases, snapshot) != nil else { return }
        guard options.commitLog != nil else {
            throw StoreError(
                .isReplica, "the store is a replica, and its writes must go through its log",
                remedy: "open it with the log, or for reading only")
        }
        if isCopy {
            throw StoreError(
                .replicaDiverged, "the directory holds a copy of a replica",
                remedy: "let the replica join in an empty directory")
        }
    }

    /// Returns the inputs of a transaction that belongs to no write closure.
    static func context(_ options: StoreOptions) -> WriteContext {
        WriteContext(time: options.clock(), seed: options.randomSeed(), origin: options.origin, token: 0)
    }

    /// Opens the store for reading only.
    static func readOnlyState(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type]
    ) throws(StoreError) -> StoreState {
        var attempts = 64
        while true {
            do throws(StoreError) {
                return try newestState(environment, options: options, records: records)
            } catch {
                attempts -= 1
                // Another process has created a database and committed again since. Each attempt knows one more database.
                guard error.code == .inUse, attempts > 0 else { throw error }
            }
        }
    }

    /// Returns the state in the newest snapshot.
    ///
    /// - Throws: ``StoreError``: `inUse` when one of its databases could not be opened before the next commit.
    private static func newestState(
        _ environment: LMDBEnvironment, options: StoreOptions, records: [any Record.Type]
    ) throws(StoreError) -> StoreState {
        let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        return try StoreReading(raw.snapshot, at: environment.path, options: options, records: records).state
    }

    /// Opens the fixed databases, and creates them in an empty environment.
    static func openDatabases(_ raw: inout LMDBWriteTransaction) throws(StoreError) -> StoreDatabases {
        if let databases = try StoreFormat.openDatabases(&raw, create: false) { return databases }
        let names = try mapLMDB { () throws(LMDBError) in try raw.snapshot.statistics(of: .main).entries }
        guard names == 0 else {
            throw StoreError(
                .notAStore, "the directory holds an LMDB environment of another program",
                remedy: "choose another directory")
        }
        guard let databases = try StoreFormat.openDatabases(&raw, create: true) else {
            throw StoreError(.other, "the databases of a new store could not be created")
        }
        return databases
    }

    /// Writes the metadata of a new store. If it shall have a redo log and has none yet, the next opening for writing makes it.
    private static func made(
        _ databases: inout StoreDatabases, isLogged: Bool, _ options: StoreOptions, home: [UInt8],
        random: inout TransactionRandom, _ raw: inout LMDBWriteTransaction
    ) throws -> StoreFormat.Header {
        try StoreFormat.writeLogOff(!isLogged && !options.usesRedoLog, databases, &raw)
        // Not from the stream of the transaction, whose seed a program can choose.
        let keyHash = options.keyHash()
        if let start = options.start {
            return try StoreFormat.initialize(
                &databases, keyHash: keyHash, identity: start.identity, head: start.head, home: home, in: &raw)
        }
        let identity = UUID(high: random.next() & ~0xF000 | 0x4000, low: random.next() >> 2 | 1 << 63)
        return try StoreFormat.initialize(
            &databases, keyHash: keyHash, identity: identity, head: FeedHead(epoch: random.next()), home: home,
            in: &raw)
    }
}

extension LMDBFileIdentity {
    /// The identity of the file that the store lives in, as the metadata keeps it. It differs in any copy of the file.
    var homeBytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.append(inode)
        writer.append(UInt64(bitPattern: Int64(birthNanoseconds ?? 0)))
        return writer.array()
    }
}

extension LMDBDatabase {
    /// The unnamed database, which holds the names of all other databases. LMDB always gives it this handle.
    static var main: LMDBDatabase { LMDBDatabase(handle: 1) }
}
