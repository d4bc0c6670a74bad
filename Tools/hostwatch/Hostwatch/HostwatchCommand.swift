public import ArgumentParser
import Dispatch
import Foundation
import Glibc
import LogArguments
import ModelStore
import ModelStoreReplay
import ModelStoreReplication

/// The command `hostwatch`.
public struct HostwatchCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "hostwatch",
        abstract: "Mirror this machine's packages, processes, mounts and network interfaces as records of a store.",
        discussion: """
            Without --once and --report, it runs as a service. The service reads the machine's state every second, and \
            reports processes that take much memory, file systems that get full, the end of both, and changed \
            packages. The alert thresholds are Threshold records, so store-cli set Threshold processMiB value=512 \
            changes them immediately. SIGINT or SIGTERM ends the service, and a second signal ends it at once.

            Each snapshot is one change set: it inserts new records, updates only changed fields, and deletes the \
            records of things that no longer exist. Inspect the store with store-cli.

            With --replicated, machines share one store, and each mirrors its own state into it. So a query on any of \
            them answers for all. Name the engine of the log with --etcd or --postgres.
            """)

    @Option(name: .long, help: "The store's directory, created if missing.")
    var store: String

    @Flag(name: .long, help: "Take one snapshot and end.")
    var once = false

    @Flag(name: .long, help: "Report large packages, memory use and full file systems from the mirror.")
    var report = false

    @Option(name: .long, help: ArgumentHelp("How often the service reads the machine's state.", valueName: "seconds"))
    var interval: Double?

    @Option(name: .long, help: ArgumentHelp("Record the service to a trace file.", valueName: "file"))
    var record: String?

    @Flag(name: .long, help: "Replace an existing trace file.")
    var replace = false

    @Option(
        name: .long,
        help: ArgumentHelp("A field to redact in the trace; may be repeated.", valueName: "Type.field"))
    var redact: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Share the store with other machines; this one has the given name.", valueName: "machine"))
    var replicated: String?

    @Option(
        name: .long, help: ArgumentHelp("The name of the machines' log; hostwatch by default.", valueName: "name"))
    var log: String?

    @OptionGroup var engine: EngineOptions

    public init() {}

    public func validate() throws {
        if replicated != nil {
            try engine.requireEngine()
        } else if log != nil || !engine.isEmpty {
            throw ValidationError("--log and the options of its engine are for --replicated; give the machine's name")
        }
        if record != nil, once || report {
            throw ValidationError("--record is for the service; leave out --once and --report")
        }
        if record == nil, !redact.isEmpty { throw ValidationError("--redact is for --record; give both") }
        guard let interval else { return }
        if once || report { throw ValidationError("--interval is for the service; leave out --once and --report") }
        guard (0.01...86_400).contains(interval) else {
            throw ValidationError("--interval is \(interval), but must be from 0.01 to 86400 seconds")
        }
    }

    public func run() async throws {
        let mirror = try await mirror()
        defer { mirror.close() }
        if once { try takeSnapshot(mirror) }
        if report { try tell(mirror.reports()) }
        if !once, !report { try await serve(mirror) }
    }

    private func mirror() async throws -> HostMirror {
        guard let replicated else {
            return try HostMirror(
                directory: store, host: ProcessInfo.processInfo.hostName, isReadOnly: report && !once)
        }
        let log: any SharedLog
        do {
            log = try await engine.open(log: self.log ?? "hostwatch")
        } catch let error as SharedLogError where error.code == .refused {
            throw ValidationError(error.message)
        }
        return try await HostMirror(directory: store, host: replicated, log: log, snapshots: engine.snapshots)
    }

    private func tell(_ reports: [(host: String, report: HostReport)]) {
        for (host, report) in reports {
            if reports.count > 1 { print("machine \(host)") }
            print(report.text)
        }
    }

    /// Runs the service until a signal ends it.
    private func serve(_ mirror: HostMirror) async throws {
        let service = HostService(
            mirror, source: HostReader(), clock: ContinuousClock(), interval: .seconds(interval ?? 1)
        ) { line in
            print(line)
            // Flushed, so that readers of a file or a pipe see the line at once.
            fflush(nil)
        }
        let recorder = try await recorder(of: mirror)
        let (beginning, begins) = AsyncStream.makeStream(of: Never.self)
        let work = Task {
            for await _ in beginning {}
            try await service.run()
        }
        var signals: [any DispatchSourceSignal] = []
        let queue = DispatchQueue(label: "signals")
        for signal in [SIGINT, SIGTERM] { signals.append(await Self.watched(signal, on: queue, ending: work)) }
        // Only now: a signal in response to the first line must not end the process before it is handled.
        begins.finish()
        defer { for source in signals { source.cancel() } }
        let outcome = await work.result
        if let recorded = try await recorder?.finish() { print("recorded \(recorded.changeSetCount) change sets") }
        try outcome.get()
    }

    /// Makes the first signal end the work, and a second one the process. The end of the work may never come: writing to a
    /// stopped terminal can block forever.
    private static func watched(
        _ signal: Int32, on queue: DispatchQueue, ending work: Task<Void, any Error>
    ) async -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
        source.setEventHandler {
            if work.isCancelled { _exit(1) }
            work.cancel()
        }
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler { continuation.resume() }
            source.resume()
        }
        return source
    }

    private func recorder(of mirror: HostMirror) async throws -> Recorder? {
        guard let record else { return nil }
        var options = RecordingOptions()
        options.redactedFields = redact
        options.replacesFile = replace
        return try await Recorder(mirror.store, to: record, options: options)
    }

    private func takeSnapshot(_ mirror: HostMirror) throws {
        let report = try mirror.apply(try HostReader().read())
        print("packages    \(line(report.packages))")
        print("processes   \(line(report.processes))")
        print("mounts      \(line(report.mounts))")
        print("interfaces  \(line(report.interfaces))")
        print("position    \(try mirror.store.position.sequence)")
    }

    private func line(_ count: Mirror.Count) -> String {
        "\(count.inserted) new, \(count.updated) changed, \(count.deleted) gone, \(count.unchanged) as before"
    }
}
