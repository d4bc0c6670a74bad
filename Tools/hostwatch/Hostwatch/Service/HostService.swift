import Dispatch
import ModelStore
import Synchronization

/// Mirrors the machine repeatedly, and reports when a problem of it begins or ends, by live queries on the mirror.
///
/// ``Threshold`` records define the problems, and any program may change them while the service runs. The queries follow the
/// store, not the readings, so they include every change of the records by this process or another.
///
/// - `ledger` is protected by its mutex. The mutex is held while alerts are reported, so that they stay in order.
/// - `unfollowed` is protected by its mutex. The mutex is held while queries are reconfigured, so that the newest thresholds win.
///   The mutex of `ledger` is taken within it.
final class HostService<C: Clock<Duration>>: Sendable {
    private let mirror: HostMirror
    private let source: any HostSource
    private let clock: C
    private let interval: Duration
    private let tell: @Sendable (String) -> Void
    private let ledger = Mutex(AlertLedger())
    /// The thresholds that the queries do not follow yet.
    private let unfollowed = Mutex<HostThresholds?>(nil)
    private let snapshotCount = Atomic(0)

    /// - Parameters:
    ///   - mirror: the store.
    ///   - source: reads the state of the machine.
    ///   - clock: measures the time until the next reading.
    ///   - interval: the time between two readings.
    ///   - tell: receives lines for the user.
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
            // After the end of all tasks, because each of them may report something until then.
            let count = snapshotCount.load(ordering: .relaxed)
            tell("ended after \(count) snapshot\(count == 1 ? "" : "s")")
        }
        // Each part has a scope of its own, so that an ownership report names the parts.
        try await store.withScope("hostwatch") { service in
            let (watching, mounting, processing) =
                try (service.child("thresholds"), service.child("mounts"), service.child("processes"))
            let thresholds = try watching.stateObject { try store.liveQuery(FetchRequest(Threshold.self)) }
            let first = HostThresholds(try thresholds.results)
            let mounts = try mounting.stateObject { try store.liveQuery(first.fullMounts(of: mirror.host)) }
            let processes = try processing.stateObject { try store.liveQuery(first.largeProcesses(of: mirror.host)) }
            let alerting = AlertingQueries(host: mirror.host, mounts: mounts, processes: processes)
            // Queries start before the first refresh, so that changes since the last run of the service are reported too.
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
            // The first part that ends, by cancellation or by a failure, ends all parts.
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
                // A failed read or write may succeed the next time.
                alert(.mirror, [AlertLedger.Entry(mirroring: error)])
            }
            due = due.advanced(by: interval)
            // After a late reading, the missed ones are skipped.
            if due <= clock.now { due = clock.now.advanced(by: interval) }
            do { try await clock.sleep(until: due, tolerance: nil) } catch { break }
        }
    }

    /// Reads the machine's state on a thread that may block.
    private func read() async throws -> HostSnapshot {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [source] in
                continuation.resume(with: Result { try source.read() })
            }
        }
    }

    // MARK: Watching

    /// Reconfigures the queries whenever the thresholds change.
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

    /// Reconfigures the queries to the newest thresholds. If that fails, the service retries before the next snapshot.
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

    /// Reports the process that uses the most memory, whenever that is another process.
    private func watchLargest(_ readiness: Readiness) async throws {
        let host = mirror.host
        let largest = HostProcess.where { $0.host == host }.order { $0.residentBytes.descending }.limit(1)
        var known: HostProcess.ID?
        try await forEachUpdate(of: mirror.store.updates(of: largest), "largest", readiness) { update in
            guard let process = update.results.first, process.recordID != known else { return }
            known = process.recordID
            tell("most memory: \(Self.name(process)), \(Self.size(process))")
        }
    }

    private func watchPackages(_ readiness: Readiness) async throws {
        let host = mirror.host
        // The packages of the first mirroring are not news.
        var known = LiveRecords<Package>()
        let packages = Package.where { $0.host == host }
        try await forEachUpdate(of: mirror.store.updates(of: packages), "packages", readiness) { update in
            if !known.isEmpty { for line in PackageNews.lines(from: known, update) { tell(line) } }
            known = update.results
        }
    }

    /// Calls `body` with each update, and then records that this part of the service is watching.
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
    let host: String
    let mounts: LiveQuery<Mount>
    let processes: LiveQuery<HostProcess>

    /// Reconfigures the queries to the thresholds.
    ///
    /// - Throws: ``StoreError``, also if the store cannot be read at the moment.
    func ask(for thresholds: HostThresholds) throws {
        try mounts.reconfigure(to: thresholds.fullMounts(of: host))
        try processes.reconfigure(to: thresholds.largeProcesses(of: host))
    }
}
