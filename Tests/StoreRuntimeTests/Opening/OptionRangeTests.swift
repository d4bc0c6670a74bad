import Foundation
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

@Suite("Ranges of options") struct OptionRangeTests {
    /// An option, and how a test sets it.
    private struct Change<Options: Sendable> {
        let name: String
        let set: @Sendable (inout Options, Value) -> Void
    }

    /// A value, in the type of the option.
    private enum Value: CustomStringConvertible {
        case integer(Int)
        case duration(Duration)

        var description: String {
            switch self {
            case .integer(let integer): "\(integer)"
            case .duration(let duration): "\(duration)"
            }
        }
    }

    private static func integer<Options>(
        _ name: String, _ path: any WritableKeyPath<Options, Int> & Sendable
    ) -> Change<Options> {
        Change(name: name) { options, value in if case .integer(let new) = value { options[keyPath: path] = new } }
    }

    private static func integer<Options>(
        _ name: String, _ path: any WritableKeyPath<Options, Int?> & Sendable
    ) -> Change<Options> {
        Change(name: name) { options, value in if case .integer(let new) = value { options[keyPath: path] = new } }
    }

    private static func duration<Options>(
        _ name: String, _ path: any WritableKeyPath<Options, Duration> & Sendable
    ) -> Change<Options> {
        Change(name: name) { options, value in if case .duration(let new) = value { options[keyPath: path] = new } }
    }

    private static func duration<Options>(
        _ name: String, _ path: any WritableKeyPath<Options, Duration?> & Sendable
    ) -> Change<Options> {
        Change(name: name) { options, value in if case .duration(let new) = value { options[keyPath: path] = new } }
    }

    private static let storeChanges: [Change<StoreOptions>] = [
        integer("maximumByteCount", \.maximumByteCount),
        integer("addressSpaceByteCount", \.addressSpaceByteCount),
        integer("maximumReaders", \.maximumReaders),
        integer("maximumDatabases", \.maximumDatabases),
        Change(name: "fileMode") { options, value in
            if case .integer(let new) = value { options.fileMode = new < 0 ? .max : UInt32(clamping: new) }
        },
        integer("limits.recordByteCount", \.limits.recordByteCount),
        integer("limits.changeSetByteCount", \.limits.changeSetByteCount),
        integer("limits.queuedWrites", \.limits.queuedWrites),
        integer("limits.batchedWrites", \.limits.batchedWrites),
        integer("limits.retainedChangeSets", \.limits.retainedChangeSets),
        duration("limits.retainedAge", \.limits.retainedAge),
        integer("limits.retainedFeedByteCount", \.limits.retainedFeedByteCount),
        integer("limits.changedRecordLimit", \.limits.changedRecordLimit),
        duration("writeTimeout", \.writeTimeout),
        duration("snapshotLimits.age", \.snapshotLimits.age),
        integer("snapshotLimits.commitCount", \.snapshotLimits.commitCount),
        integer("snapshotLimits.byteCount", \.snapshotLimits.byteCount),
        duration("ownership.gracePeriod", \.ownership.gracePeriod),
        integer("ownership.graceLimit", \.ownership.graceLimit),
        duration("ownership.leakDelay", \.ownership.leakDelay),
    ]

    private static let consumerChanges: [Change<ConsumerOptions>] = [
        integer("lease.changeSets", \.lease.changeSets),
        duration("lease.age", \.lease.age),
        integer("lease.byteCount", \.lease.byteCount),
        integer("feed.changesPerPart", \.feed.changesPerPart),
        integer("changeSetsPerCommit", \.changeSetsPerCommit),
        integer("retry.attempts", \.retry.attempts),
        duration("retry.firstDelay", \.retry.firstDelay),
        duration("retry.longestDelay", \.retry.longestDelay),
        duration("takeoverInterval", \.takeoverInterval),
    ]

    /// Options of which 0 is a value.
    private static let withZero: Set<String> = [
        "fileMode", "limits.retainedAge", "limits.retainedFeedByteCount", "limits.changedRecordLimit", "writeTimeout",
        "snapshotLimits.age", "snapshotLimits.commitCount", "snapshotLimits.byteCount", "ownership.gracePeriod",
        "ownership.graceLimit", "ownership.leakDelay", "lease.changeSets", "lease.age", "lease.byteCount",
        "retry.firstDelay", "retry.longestDelay",
    ]
    /// Options of which centuries mean forever.
    private static let withoutEnd: Set<String> = ["ownership.gracePeriod", "ownership.leakDelay"]

    private static func badValues(_ name: String) -> [Value] {
        let integers = [Int.min, -1, .max].map(Value.integer)
        let shortest = Duration(secondsComponent: .min, attosecondsComponent: 0)
        var durations = [shortest, .seconds(-1), .nanoseconds(-1)].map(Value.duration)
        if !withoutEnd.contains(name) { durations += [.duration(.seconds(Int64.max)), .duration(.seconds(1 << 40))] }
        return integers + durations + (withZero.contains(name) ? [] : [.integer(0), .duration(.zero)])
    }

    /// Returns the names of all stored properties with a number or a duration, those of structs inside with a path.
    private static func numbers(of options: Any) -> Set<String> {
        var names: Set<String> = []
        for child in Mirror(reflecting: options).children {
            guard let name = child.label else { continue }
            let type = type(of: child.value)
            let isNumber = [
                Int.self, Int?.self, Int32?.self, UInt32.self, UInt64?.self, Double.self, Double?.self, Duration.self,
                Duration?.self,
            ].contains { ObjectIdentifier($0) == ObjectIdentifier(type) }
            if isNumber { names.insert(name) }
            let inner = Mirror(reflecting: child.value)
            if inner.displayStyle == .struct, !isNumber {
                names.formUnion(numbers(of: child.value).map { "\(name).\($0)" })
            }
        }
        return names
    }

    @Test func `every number and duration of the options has a range, or is out of the reach of programs`() {
        let own: Set<String> = [
            "originProcessID", "redoLimits.logByteCount", "redoLimits.entryByteCount", "redoLimits.keptByteCount",
            "writerBlockedAfter", "logRestsAfter", "upkeepSeconds",
        ]
        let names = Self.numbers(of: StoreOptions()).subtracting(own)
        #expect(names == Set(StoreOptions.ranges.map(\.name)))
        #expect(names == Set(Self.storeChanges.map(\.name)))
        let consumer = Self.numbers(of: ConsumerOptions())
        #expect(consumer == Set(ConsumerOptions.ranges.map(\.name)))
        #expect(consumer == Set(Self.consumerChanges.map(\.name)))
    }

    @Test func `a store is not opened, and nothing is created, with an option outside its range`() throws {
        let folder = try StoreFolder()
        for change in Self.storeChanges {
            let range = try #require(StoreOptions.ranges.first { $0.name == change.name })
            for value in Self.badValues(change.name) {
                var options = StoreOptions()
                change.set(&options, value)
                guard "\(options)" != "\(StoreOptions())" else { continue }
                let error = storeError { _ = try Store(at: folder.path, records: Sensor.self, options: options) }
                #expect(error?.code == .invalidValue, "\(change.name) is \(value): \(String(describing: error))")
                #expect(error?.message.hasPrefix("StoreOptions.\(change.name) is ") == true)
                #expect(error?.remedy == "set it to a value of \(range.text)")
                let temporary = storeError { _ = try Store.temporary(records: Sensor.self, options: options) }
                #expect(temporary?.code == .invalidValue)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `files beside the data file that leave no room for it are refused`() throws {
        let folder = try StoreFolder()
        var options = StoreOptions()
        (options.maximumByteCount, options.maximumReaders) = (4 << 20, 100_000)
        let error = storeError { _ = try Store(at: folder.path, records: Sensor.self, options: options) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("maximumByteCount is 4194304") == true, "\(String(describing: error))")
    }

    @Test func `the least and the greatest size of a store open one`() throws {
        for byteCount in [4 << 20, 1 << 46] {
            let folder = try StoreFolder()
            var options = StoreOptions()
            options.maximumByteCount = byteCount
            let store = try Store(at: folder.path, records: Sensor.self, options: options)
            try store.write { tx in try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
            store.close()
        }
    }

    @Test func `a consumer with an option outside its range is not taken`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        for change in Self.consumerChanges {
            for value in Self.badValues(change.name) {
                var options = ConsumerOptions()
                change.set(&options, value)
                guard "\(options)" != "\(ConsumerOptions())" else { continue }
                let error = await storeError { [options] in _ = try await store.holdConsumer("c", options) }
                #expect(error?.code == .invalidValue, "\(change.name) is \(value): \(String(describing: error))")
                #expect(error?.message.contains("ConsumerOptions.\(change.name) is ") == true)
            }
        }
        var options = ConsumerOptions()
        (options.retry.firstDelay, options.retry.longestDelay) = (.seconds(2), .seconds(1))
        let error = await storeError { [options] in _ = try await store.holdConsumer("c", options) }
        #expect(error?.remedy == "set it to a value of at most longestDelay")
        #expect(try store.consumers().isEmpty)
    }

    @Test func `a reader of the feed fails with an option outside its range`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        for count in [Int.min, -1, 0, .max] {
            var options = FeedOptions()
            options.changesPerPart = count
            let feed = store.changes(from: .oldest, options)
            let error = await storeError { for try await _ in feed { break } }
            #expect(error?.code == .invalidValue)
            let position = try store.position
            let catchUp = store.catchUp(since: position, options)
            #expect(await storeError { for try await _ in catchUp { break } }?.code == .invalidValue)
        }
    }

    @Test func `a write with a timeout outside its range is not made`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        for timeout in [Duration.seconds(-1), .seconds(Int64.max)] {
            let error = storeError {
                try store.write(timeout: timeout) { tx in try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
            }
            #expect(error?.code == .invalidValue)
            let later = await storeError {
                try await store.write(timeout: timeout) { tx in try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
            }
            #expect(later?.code == .invalidValue)
        }
        #expect(try store.all(Sensor.self).isEmpty)
    }

    @Test func `the article lists the ranges as the store checks them`() throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let article = try String(
            contentsOfFile: root + "/Sources/ModelStore/ModelStore.docc/Reliability.md", encoding: .utf8)
        let section = try #require(article.components(separatedBy: "\n## Ranges of options\n").dropFirst().first)
        let lines = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let expected =
            StoreOptions.ranges.filter { $0.name != "addressSpaceByteCount" }.map { "| `\($0.name)` | \($0.text) |" }
            + ConsumerOptions.ranges.map { "| `ConsumerOptions.\($0.name)` | \($0.text) |" }
        #expect(lines.map(String.init) == expected, "\(expected.joined(separator: "\n"))")
    }
}
