import Foundation
import ModelStore
import ModelStoreTesting
import TestSupport
import Testing

@testable import Hostwatch

@Suite("Service", .timeLimit(.minutes(TestLength.waitMinutes))) struct HostServiceTests {
    private static let snapshot = HostSnapshot(
        packages: [MadeUpHost.package("bash", "5.2"), MadeUpHost.package("sed", "4.9")],
        processes: [MadeUpHost.process(1, mebibytes: 10), MadeUpHost.process(2, mebibytes: 600)],
        mounts: [MirrorTests.mount("/", free: 50), MirrorTests.mount("/data", free: 80)], interfaces: [])

    @Test func `An alert is told when it begins and when it ends, and not in between`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let run = try await ServiceRun(directory, Self.snapshot)
        #expect(
            Set(await run.told(2)) == ["mirrored 6 records every 1.0 seconds", "most memory: p2 (2), 600 MiB"])
        run.host.change { $0.mounts[0] = MirrorTests.mount("/", free: 9) }
        await run.refresh()
        #expect(await run.told(1) == ["alert begins: mount /: 9.0 % is free"])
        run.host.change { $0.mounts[0] = MirrorTests.mount("/", free: 8) }
        await run.refresh()
        run.host.change { $0.processes.append(MadeUpHost.process(3, mebibytes: 5_000)) }
        await run.refresh()
        #expect(
            Set(await run.told(2)) == [
                "alert begins: process p3 (3): it has 5000 MiB", "most memory: p3 (3), 5000 MiB",
            ])
        run.host.change { $0.mounts[0] = MirrorTests.mount("/", free: 11) }
        await run.refresh()
        #expect(await run.told(1) == ["alert ends: mount /"])
        run.host.change { $0.processes.removeLast() }
        await run.refresh()
        #expect(Set(await run.told(2)) == ["alert ends: process p3 (3)", "most memory: p2 (2), 600 MiB"])
        #expect(try await run.end() == ["ended after 6 snapshots"])
    }

    @Test func `Each part is a scope with what it owns, and none is left at the end`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let run = try await ServiceRun(directory, Self.snapshot)
        _ = await run.told(2)
        let ownership = run.mirror.store.ownership
        let report = ownership.report()
        let parts = ["largest", "mirror", "mounts", "packages", "processes", "thresholds"]
        #expect(report.scopes.map(\.path) == ["hostwatch"] + parts.map { "hostwatch/\($0)" })
        #expect(report.scopes.first?.childCount == parts.count)
        let tasks = Dictionary(uniqueKeysWithValues: report.scopes.map { ($0.path, $0.taskCount) })
        #expect(parts.allSatisfy { tasks["hostwatch/\($0)"] == 1 })
        let owners = report.objects.flatMap(\.pins).filter { $0.kind == .owner }.compactMap(\.holder)
        #expect(owners.sorted() == ["hostwatch/mounts", "hostwatch/processes", "hostwatch/thresholds"])
        _ = try await run.end()
        #expect(ownership.report().isEmpty, "\(ownership.report())")
    }

    @Test func `A threshold that somebody sets takes effect at once, without another snapshot`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let run = try await ServiceRun(directory, Self.snapshot)
        _ = await run.told(2)
        try await run.set("processMiB", 500)
        #expect(
            await run.told(2) == [
                "threshold processMiB: 4096.0 -> 500.0", "alert begins: process p2 (2): it has 600 MiB",
            ])
        try await run.set("mountFreePercent", 60)
        #expect(
            await run.told(2) == [
                "threshold mountFreePercent: 10.0 -> 60.0", "alert begins: mount /: 50.0 % is free",
            ])
        // Without its record, a threshold has its default value.
        try await run.mirror.store.write { try $0.delete(Threshold.self, id: "processMiB") }
        #expect(
            await run.told(2) == ["threshold processMiB: 500.0 -> 4096.0", "alert ends: process p2 (2)"])
        try await run.set("mountFreePercent", .nan)
        #expect(await run.told(2) == ["threshold mountFreePercent: 60.0 -> 10.0", "alert ends: mount /"])
        #expect(try await run.end() == ["ended after 1 snapshot"])
    }

    @Test func `Thresholds stay as they were set, also over a restart, and hold from its beginning`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let first = try await ServiceRun(directory, Self.snapshot)
        try await first.set("processMiB", 500)
        _ = await first.told(4)
        _ = try await first.end()
        let second = try await ServiceRun(directory, Self.snapshot)
        #expect(
            Set(await second.told(3)) == [
                "alert begins: process p2 (2): it has 600 MiB", "mirrored 6 records every 1.0 seconds",
                "most memory: p2 (2), 600 MiB",
            ])
        _ = try await second.end()
    }

    @Test func `Packages that change are told, also those that changed while it did not run`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let first = try await ServiceRun(directory, Self.snapshot)
        _ = await first.told(2)
        first.host.change { $0.packages[0] = MadeUpHost.package("bash", "5.3") }
        await first.refresh()
        #expect(await first.told(1) == ["package bash:all 5.2 -> 5.3"])
        #expect(try await first.end() == ["ended after 2 snapshots"])
        var snapshot = Self.snapshot
        snapshot.packages = [MadeUpHost.package("bash", "5.3"), MadeUpHost.package("awk", "1")]
        let second = try await ServiceRun(directory, snapshot)
        #expect(
            Set(await second.told(4)) == [
                "most memory: p2 (2), 600 MiB", "package sed:all removed", "package awk:all 1 installed",
                "mirrored 6 records every 1.0 seconds",
            ])
        second.host.change { $0.packages[1].summary = "text tool" }
        await second.refresh()
        #expect(await second.told(1) == ["package awk:all changed"])
        _ = try await second.end()
    }

    @Test func `Each package is told however many change at once`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        var snapshot = Self.snapshot
        snapshot.packages = (10..<40).map { MadeUpHost.package("p\($0)", "1") }
        let run = try await ServiceRun(directory, snapshot)
        _ = await run.told(2)
        // The update has more changes than the remaining packages.
        run.host.change { $0.packages = [MadeUpHost.package("p39", "2"), MadeUpHost.package("new", "1")] }
        await run.refresh()
        let told = await run.told(31)
        #expect(told.prefix(29) == (10..<39).map { "package p\($0):all removed" }[...])
        #expect(told.suffix(2) == ["package new:all 1 installed", "package p39:all 1 -> 2"])
        #expect(try await run.end() == ["ended after 2 snapshots"])
    }

    @Test func `Thresholds that cannot be asked for at the moment are an alert, and hold from the next snapshot on`()
        async throws
    {
        let directory = try TemporaryFiles(["readme": ""])
        let run = try await ServiceRun(directory, Self.snapshot)
        _ = await run.told(2)
        let faults = FaultInjector(run.mirror.store)
        try await faults.failing(.openCursor, with: .readersFull, times: .max) {
            try await run.set("processMiB", 500)
            let told = await run.told(2)
            #expect(told.first == "threshold processMiB: 4096.0 -> 500.0")
            #expect(told.last?.hasPrefix("alert begins: thresholds are not in effect: ") == true)
        }
        await run.refresh()
        #expect(
            Set(await run.told(2)) == [
                "alert ends: thresholds are not in effect", "alert begins: process p2 (2): it has 600 MiB",
            ])
        #expect(try await run.end() == ["ended after 2 snapshots"])
    }

    @Test func `Records that did not change are not written, and nothing grows`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let run = try await ServiceRun(directory, Self.snapshot)
        let position = try run.mirror.store.position
        for _ in 0..<100 { await run.refresh() }
        #expect(try run.mirror.store.position == position)
        let before = run.mirror.store.liveQueryCount
        for value in 1...50 { try await run.set("processMiB", Double(value)) }
        run.host.change { $0.processes[0] = MadeUpHost.process(1, mebibytes: 11) }
        await run.refresh()
        #expect(try run.mirror.store.position.sequence == position.sequence + 51)
        // Thresholds, mounts, processes, the largest process, and packages. Earlier queries are gone.
        #expect(before == 5)
        let limit = Date() + 240
        while run.mirror.store.liveQueryCount > 5, Date() < limit { try await nextTurn() }
        #expect(run.mirror.store.liveQueryCount == 5)
        _ = try await run.end()
    }

    @Test func `What cannot be read is an alert, and the service goes on`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let run = try await ServiceRun(directory, Self.snapshot)
        _ = await run.told(2)
        run.host.become(.failure(HostReadError(path: "/proc/x", reason: "it is gone")))
        await run.refresh()
        await run.refresh()
        #expect(await run.told(1) == ["alert begins: mirror of this machine: /proc/x: it is gone"])
        run.host.become(.success(Self.snapshot))
        await run.refresh()
        #expect(await run.told(1) == ["alert ends: mirror of this machine"])
        #expect(try await run.end() == ["ended after 2 snapshots"])
    }

    @Test func `A machine that slept is looked at once, and then at the interval`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let run = try await ServiceRun(directory, Self.snapshot)
        run.clock.advance(by: .seconds(100))
        #expect(await run.clock.awaitSleep()?.offset == .seconds(101))
        run.clock.advance(by: .seconds(1))
        #expect(await run.clock.awaitSleep()?.offset == .seconds(102))
        _ = try await run.end()
    }

    /// Returns the real program, not yet running.
    private func process(_ directory: borrowing TemporaryFiles) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "hostwatch")
        process.arguments = ["--store", directory.path + "/store", "--interval", "0.05"]
        return process
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `A signal ends it with all that it told`(_ signal: Int32) throws {
        let directory = try TemporaryFiles(["readme": ""])
        let process = process(directory)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // Each read waits for more output, or for the end.
        var output = ""
        var isAsked = false
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
            output += String(decoding: more, as: UTF8.self)
            guard !isAsked, output.contains("mirrored") else { continue }
            isAsked = true
            kill(process.processIdentifier, signal)
        }
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(process.terminationStatus)")
        let lines = output.split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("mirrored ") && $0.hasSuffix(" records every 0.05 seconds") }, "\(output)")
        #expect(lines.last?.hasPrefix("ended after ") == true, "\(output)")
    }

    @Test func `A second signal ends it though nobody takes what it tells`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let process = process(directory)
        // A full pipe, like a terminal that was stopped.
        let pipe = Pipe()
        let output = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(output, F_GETFL)
        _ = fcntl(output, F_SETFL, flags | O_NONBLOCK)
        let bytes = [UInt8](repeating: 10, count: 4_096)
        while unsafe write(output, bytes, bytes.count) > 0 {}
        _ = fcntl(output, F_SETFL, flags)
        process.standardOutput = pipe
        let mirror = try HostMirror(directory: directory.path + "/store", host: "web")
        defer { mirror.close() }
        try process.run()
        for try await update in mirror.store.updates(of: FetchRequest(HostProcess.self)) where !update.results.isEmpty {
            break
        }
        for signal in [SIGINT, SIGTERM] { kill(process.processIdentifier, signal) }
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 1)
    }
}
