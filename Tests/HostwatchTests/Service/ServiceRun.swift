import Foundation
import ModelStore
import Synchronization

@testable import Hostwatch

/// A state of the machine that a test controls.
///
/// - `state` is protected by its mutex.
final class MadeUpHost: HostSource {
    private let state: Mutex<Result<HostSnapshot, HostReadError>>

    init(_ snapshot: HostSnapshot) { state = Mutex(.success(snapshot)) }

    /// Changes the result of the next read.
    func change(_ body: (inout HostSnapshot) -> Void) {
        state.withLock { state in
            guard case .success(var snapshot) = state else { return }
            body(&snapshot)
            state = .success(snapshot)
        }
    }

    func become(_ result: Result<HostSnapshot, HostReadError>) { state.withLock { $0 = result } }

    func read() throws(HostReadError) -> HostSnapshot { try state.withLock { $0 }.get() }

    static func process(_ pid: Int32, mebibytes: UInt64) -> HostProcess {
        HostProcess(
            pid: pid, startTicks: 1, parent: 0, name: "p\(pid)", commandLine: [], userID: 0, state: .sleeping,
            residentBytes: mebibytes << 20, virtualBytes: 0, cpuSeconds: 0, threads: 1,
            started: .init(timeIntervalSince1970: 0))
    }

    static func package(_ name: String, _ version: String) -> Package {
        Package(
            name: name, architecture: "all", version: version, section: "", priority: "", installedKiB: nil,
            status: "install ok installed", maintainer: nil, summary: "")
    }
}

/// A running service whose host, clock and store a test changes.
final class ServiceRun {
    let mirror: HostMirror
    let host: MadeUpHost
    let clock = ManualClock()
    private let task: Task<Void, any Error>
    private var lines: AsyncStream<String>.Iterator

    /// Starts the service and lets it take its first snapshot.
    init(_ directory: borrowing TemporaryFiles, _ snapshot: HostSnapshot) async throws {
        mirror = try HostMirror(directory: directory.path + "/store", host: "web")
        host = MadeUpHost(snapshot)
        let (stream, tell) = AsyncStream.makeStream(of: String.self)
        lines = stream.makeAsyncIterator()
        let service = HostService(mirror, source: host, clock: clock, interval: .seconds(1)) { tell.yield($0) }
        task = Task { try await service.run() }
        await clock.awaitSleep()
    }

    /// Returns the next lines of output.
    func told(_ count: Int) async -> [String] {
        var told: [String] = []
        while told.count < count, let line = await lines.next(isolation: #isolation) { told.append(line) }
        return told
    }

    /// Triggers the next snapshot.
    func refresh() async {
        clock.advance(by: .seconds(1))
        await clock.awaitSleep()
    }

    func set(_ name: String, _ value: Double) async throws {
        try await mirror.store.write { try $0.update(Threshold.self, id: name) { $0.value = value } }
    }

    /// Ends the service, as a signal does.
    ///
    /// - Returns: The remaining output.
    func end() async throws -> [String] {
        task.cancel()
        try await task.value
        mirror.close()
        var told: [String] = []
        while told.last?.hasPrefix("ended after") != true, let line = await lines.next(isolation: #isolation) {
            told.append(line)
        }
        return told
    }
}
