import Foundation
import ModelStore
import ModelStoreReplication
#if Etcd
import ModelStoreEtcd
#endif

/// A node of the cluster that `Tools/cluster` starts. It writes what its input asks for, and prints what a live query shows.
///
/// ```
/// cluster-node DIRECTORY NAME ENDPOINT,ENDPOINT,… SNAPSHOTS [previous]
/// cluster-node check DIRECTORY OUTPUT DIRECTORY OUTPUT …
/// ```
///
/// With `previous`, it is a program of an earlier version. Each line of input is one of these:
///
/// - `write ID`, `list`, `state` and `clock`, for the demonstration;
/// - `work` and `rest` begin and end the work of the rounds;
/// - `settle` waits until the consumer and this node have everything;
/// - `end` ends the process.
@main
enum ClusterNode {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "check" { return try check(Array(arguments.dropFirst())) }
        switch (arguments.count, arguments.last) {
        case (4, _): try await run(arguments, Measurement.self)
        case (5, "previous"?): try await run(arguments, PreviousProgram.Measurement.self)
        default:
            Journal.say("usage: cluster-node DIRECTORY NAME ENDPOINT,ENDPOINT,… SNAPSHOTS [previous]")
            exit(64)
        }
    }

    /// Runs a node whose program knows a measurement as `M`.
    private static func run<M: MeasuredValue>(_ arguments: [String], _ type: M.Type) async throws {
        let endpoints = arguments[2].split(separator: ",").map(String.init)
        let store = try await open(at: arguments[0], name: arguments[1], endpoints, snapshots: arguments[3], type)
        defer { store.close() }
        Journal.say("opened")
        let work = ClusterWork(store: store, node: arguments[1])
        let beside: [Task<Void, Never>] = [Task { try? await show(store, type) }, Task { await work.consume() }]
        var working: Task<Void, Never>?
        reading: for await line in inputLines() {
            switch line {
            case "end": break reading
            case "work": working = Task { await work.run() }
            case "rest":
                working?.cancel()
                await working?.value
                Journal.say("resting")
            default: await answer(line, store, type)
            }
        }
        for task in beside + [working].compactMap(\.self) { task.cancel() }
        for task in beside { await task.value }
    }

    private static func check(_ files: [String]) throws {
        let pairs = stride(from: 0, to: files.count - 1, by: 2)
        let check = try ClusterCheck(stores: pairs.map { files[$0] }, outputs: pairs.map { files[$0 + 1] })
        for finding in check.findings.prefix(20) { Journal.say(finding) }
        guard check.findings.isEmpty, check.writeCount > 0 else { exit(1) }
        Journal.say("\(check.writeCount) returned writes, \(check.readCount) linearizable reads")
    }

    /// Opens the store. A cluster that has just been started, or that has no majority at the moment, is waited for.
    private static func open(
        at path: String, name: String, _ endpoints: [String], snapshots: String, _ type: (some MeasuredValue).Type
    ) async throws -> Store {
        #if Etcd
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                let log = try await EtcdLog.open(name: "cluster", endpoints: endpoints)
                return try await Store.open(
                    at: path, records: type, Step.self, Counter.self,
                    replication: .shared(log, node: name, snapshots: .directory(snapshots)))
            } catch let error as StoreError where error.code == .replicaDiverged {
                Journal.say("stopped \(error.code)")
                exit(1)
            } catch {
                guard .now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        #else
        Journal.say("cluster-node was built without etcd; build it with --traits Etcd")
        exit(64)
        #endif
    }

    /// Prints each record once, when the live query has it.
    private static func show<M: MeasuredValue>(_ store: Store, _ type: M.Type) async throws {
        var shown: Set<String> = []
        for try await update in store.updates(of: FetchRequest(type)) {
            for measurement in update.results where shown.insert(measurement.id).inserted {
                Journal.say("shown \(measurement.id)")
            }
        }
    }

    private static func answer<M: MeasuredValue>(_ line: String, _ store: Store, _ type: M.Type) async {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("write"?, 2):
            do {
                try await store.write { tx in try tx.insert(M.make(words[1])) }
                Journal.say("written \(words[1])")
            } catch {
                Journal.say("failed \(words[1]) \((error as? StoreError)?.code.description ?? "\(error)")")
            }
        case ("list"?, 1):
            let ids = try? store.read { try $0.fetch(type).map(\.id).sorted() }
            Journal.say("list \((ids ?? []).joined(separator: " "))")
        case ("state"?, 1):
            guard let status = store.replication, let position = try? store.position else {
                return Journal.say("state none")
            }
            Journal.say(
                "state \(status.state) applied \(status.applied.index) position \(position.sequence) \(position.hash)")
        case ("clock"?, 1): Journal.say("clock \(Date())")
        case ("settle"?, 1):
            do {
                try await store.read(.linearizable) { _ in }
                try await store.wait(forConsumer: "steps", toPass: store.position)
                try await store.read(.linearizable) { _ in }
                Journal.say("settled")
            } catch {
                Journal.say("unsettled \(error)")
            }
        default: Journal.say("unknown \(line)")
        }
    }

    private static func inputLines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
