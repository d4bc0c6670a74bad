import Dispatch
import ModelStore
import Synchronization

/// Mirrors the machine again and again, and tells when something begins or ends to be wrong, by live queries on the mirror.
///
/// What is wrong is a matter of ``Threshold`` records, which anybody may change while the service runs. The queries are on the
/// store and not on what was read: whatever changes the records, in this process or another, is seen.
/// - `ledger` is protected by its mutex, which is held while alerts are told, so that their order is right.
/// - `unfollowed` is protected by its mutex, which is held while queries are asked for something else, so that the newest
///   thresholds stay; that of `ledger` is taken in it.
final class HostService<C: Clock<Duration>>: Sendable {
    private let mirror: HostMirror
    private let source: any HostSource
    private let clock: C
    private let interval: Duration
    private let tell: @Sendable (String) -> Void
    private let ledger = Mutex(AlertLedger())
    /// The thresholds that the queries could not be asked for yet.
    private let unfollowed = Mutex<HostThresholds?>(nil)
    private let snapshotCount = Atomic(0)

    /// - Parameters:
    ///   - mirror: the store.
    ///   - source: where the state of the machine comes from.
    ///   - clock: tells when to read it again.
    ///   - interval: how often to.
    ///   - tell: takes lines for people.
    init(
        _ mirror: HostMirror, source: any HostSource, clock: C, interval: Duration,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.mirror = mirror
        self.source = source
        self.clock = clock
        self.interval = interval
        self.tell = tell
    }

    /// Runs until its task is cancelled.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read any more.
    func run() async throws {
        try await mirror.addThresholds(HostThresholds().records)
        let store = mirror.store
        defer {
            // After the end of all tasks: until then each of them may tell something.
            let count = snapshotCount.load(ordering: .relaxed)
            tell("ended after \(count) snapshot\(count == 1 ? "" : "s")")
        }
        // Each part has a scope of its own, so that a report of who keeps what names them.
        try await store.withScope("hostwatch") { service in
            let (watching, mounting, processing) =
                try (service.child("thresholds"), service.child("mounts"), service.child("processes"))
            let thresholds = try watching.stateObject { try store.liveQuery(FetchRequest(Threshold.self)) }
            let first = HostThresholds(try thresholds.results)
            let mounts = try mounting.stateObject { try store.liveQuery(first.fullMounts) }
            let processes = try processing.stateObject { try store.liveQuery(first.largeProcesses) }
            let alerting = AlertingQueries(mounts: mounts, processes: processes)
            // What has changed since the service ran last is news, too: queries come before the first refresh.
            let readiness = Readiness(["thresholds", "mounts", "processes", "largest", "packages"])
            let (endings, hasEnded) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
            func run(in scope: Scope, _ body: @escaping @Sendable () async throws -> Void) throws {
                try scope.task {
                    do {
                        try await body()
                        hasEnded.yield(.success(()))
                    } catch {
                        hasEnded.yield(.failure(error))
                    }
                }
            }
            try run(in: watching) { try await self.follow(thresholds, alerting, readiness) }
            try run(in: mounting) { try await self.watch(mounts, readiness) }
            try run(in: processing) { try await self.watch(processes, readiness) }
            try run(in: service.child("largest")) { try await self.watchLargest(readiness) }
            try run(in: service.child("packages")) { try await self.watchPackages(readiness) }
            try run(in: service.child("mirror")) {
                await readiness.reached()
                await self.refresh(alerting)
            }
            // Whichever ends first, by cancellation or for a failure, is the end of all.
            for await ending in endings { return try ending.get() }
        }
    }

    // MARK: Refreshing

    private func refresh(_ alerting: AlertingQueries) async {
        var due = clock.now
        while !Task.isCancelled {
            ask(alerting)
            do {
                let committed = try await mirror.update(try await read())
                let count = snapshotCount.add(1, ordering: .relaxed).newValue
                if count == 1 { tell("mirrored \(committed.recordCount) records every \(interval)") }
                alert(.mirror, [])
            } catch {
                if Task.isCancelled { break }
                // What cannot be read or written now may be the next time.
                alert(.mirror, [AlertLedger.Entry(id: "", name: "of this machine", text: "\(error)")])
            }
            due = due.advanced(by: interval)
            // After a late one, those that were missed are left out.
            if due <= clock.now { due = clock.now.advanced(by: interval) }
            do { try await clock.sleep(until: due, tolerance: nil) } catch { break }
        }
    }

    /// Reads the machine's state on a thread that may be blocked.
    private func read() async throws -> HostSnapshot {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [source] in
                continuation.resume(with: Result { try source.read() })
            }
        }
    }

    // MARK: Watching

    /// Has the queries ask for what the thresholds say, whenever these change.
    private func follow(
        _ thresholds: LiveQuery<Threshold>, _ alerting: AlertingQueries, _ readiness: Readiness
    ) async throws {
        var known: HostThresholds?
        try await forEachUpdate(of: thresholds.updates, "thresholds", readiness) { update in
            let values = HostThresholds(update.results)
            for (old, new) in zip(known?.records ?? [], values.records) where old.value != new.value {
                tell("threshold \(new.name): \(old.value) -> \(new.value)")
            }
            known = values
            unfollowed.withLock { $0 = values }
            ask(alerting)
        }
    }

    /// Has the queries ask for what the newest thresholds say. What cannot be asked for now may be before the next snapshot.
    private func ask(_ alerting: AlertingQueries) {
        unfollowed.withLock { unfollowed in
            guard let thresholds = unfollowed else { return }
            do {
                try alerting.ask(for: thresholds)
                unfollowed = nil
                alert(.thresholds, [])
            } catch {
                alert(.thresholds, [AlertLedger.Entry(id: "", name: "are not in effect", text: "\(error)")])
            }
        }
    }

    private func watch(_ mounts: LiveQuery<Mount>, _ readiness: Readiness) async throws {
        try await forEachUpdate(of: mounts.updates, "mounts", readiness) { update in
            let entries = update.results.map { mount in
                let share = 1_000 * Double(mount.availableBytes ?? 0) / Double(mount.totalBytes ?? 1)
                return AlertLedger.Entry(
                    id: mount.target, name: mount.target, text: "\(share.rounded() / 10) % is free")
            }
            alert(.mount, entries)
        }
    }

    private func watch(_ processes: LiveQuery<HostProcess>, _ readiness: Readiness) async throws {
        try await forEachUpdate(of: processes.updates, "processes", readiness) { update in
            let entries = update.results.map { process in
                AlertLedger.Entry(
                    id: "\(process.pid) \(process.startTicks)", name: Self.name(process),
                    text: "it has \(Self.size(process))")
            }
            alert(.process, entries)
        }
    }

    /// Tells which process has most memory, whenever it is another one.
    private func watchLargest(_ readiness: Readiness) async throws {
        let largest = FetchRequest(HostProcess.self).order { $0.residentBytes.descending }.limit(1)
        var known: HostProcess.ID?
        try await forEachUpdate(of: mirror.store.updates(of: largest), "largest", readiness) { update in
            guard let process = update.results.first, process.recordID != known else { return }
            known = process.recordID
            tell("most memory: \(Self.name(process)), \(Self.size(process))")
        }
    }

    private func watchPackages(_ readiness: Readiness) async throws {
        // Those that are mirrored for the first time are not news.
        var known = LiveRecords<Package>()
        try await forEachUpdate(of: mirror.store.updates(of: FetchRequest(Package.self)), "packages", readiness) {
            update in
            if !known.isEmpty { for line in PackageNews.lines(from: known, update) { tell(line) } }
            known = update.results
        }
    }

    /// Calls `body` with each update, and says afterwards that a part of the service is watching.
    private func forEachUpdate<R: Record>(
        of updates: LiveUpdates<R>, _ part: String, _ readiness: Readiness, _ body: (LiveUpdate<R>) throws -> Void
    ) async throws {
        for try await update in updates {
            try body(update)
            readiness.note(part)
        }
    }

    private func alert(_ kind: AlertLedger.Kind, _ entries: [AlertLedger.Entry]) {
        ledger.withLock { ledger in
            for line in ledger.update(kind, entries) { tell(line) }
        }
    }

    private static func name(_ process: HostProcess) -> String { "\(process.name) (\(process.pid))" }

    private static func size(_ process: HostProcess) -> String { "\(process.residentBytes / 1_048_576) MiB" }
}

/// The live queries whose results are alerts.
private struct AlertingQueries: Sendable {
    let mounts: LiveQuery<Mount>
    let processes: LiveQuery<HostProcess>

    /// Has them ask for what thresholds say.
    ///
    /// - Throws: ``StoreError``, also where the store cannot be read for the moment.
    func ask(for thresholds: HostThresholds) throws {
        try mounts.reconfigure(to: thresholds.fullMounts)
        try processes.reconfigure(to: thresholds.largeProcesses)
    }
}
