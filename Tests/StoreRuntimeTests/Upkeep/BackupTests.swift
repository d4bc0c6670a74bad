import ChildPrograms
import Foundation
import Glibc
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Backups of stores in use.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct BackupTests {
    private static let compacting = [false, true]

    private let folder: StoreFolder
    private let target: StoreFolder

    private var directory: String { target.path + "/copy" }

    init() throws {
        folder = try StoreFolder()
        target = try StoreFolder()
    }

    private static func sensor(_ number: Int, note: String? = nil) -> Sensor {
        Sensor(id: "s\(number)", room: "r", serial: "\(number)", note: note)
    }

    /// Returns the records of a store that no program has open.
    private static func records(_ path: String) throws -> [Sensor] {
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try Store(at: path, records: Sensor.self, options: options)
        defer { store.close() }
        return try store.all(Sensor.self)
    }

    @Test(arguments: compacting)
    func `a backup in a write closure has the last commit, and the write commits`(compacting: Bool) throws {
        let store = try Store(at: folder.path, records: Sensor.self)
        defer { store.close() }
        try store.write { try $0.insert(Self.sensor(1)) }
        try store.write { tx in
            try tx.insert(Self.sensor(2))
            try store.backup(to: directory, compacting: compacting)
        }
        #expect(try Self.records(directory).map(\.id) == ["s1"])
        #expect(try store.all(Sensor.self).map(\.id) == ["s1", "s2"])
    }

    @Test(arguments: compacting)
    func `a backup has the mode of the store, whatever the umask`(compacting: Bool) throws {
        var options = StoreOptions()
        options.fileMode = 0o600
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        defer { store.close() }
        for mode: UInt32 in [0o700, 0o775] {
            #expect(unsafe chmod(folder.path, mode) == 0)
            try store.backup(to: directory, compacting: compacting)
            #expect(try Self.mode(directory) == mode)
            #expect(try Self.mode(directory + "/data.mdb") == 0o600)
            try FileManager.default.removeItem(atPath: directory)
        }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
        try store.backup(to: directory, compacting: compacting)
        #expect(try Self.mode(directory) == 0o711)
    }

    private static func mode(_ path: String) throws -> UInt32? {
        try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.uint32Value
    }

    @Test(arguments: [0o600, 0o660, 0o400] as [UInt32], [false, true])
    func `a restored store has the mode of the copy where there is no store`(mode: UInt32, isMade: Bool) throws {
        let store = try Store(at: folder.path, records: Sensor.self)
        defer { store.close() }
        try store.write { try $0.insert(Self.sensor(1)) }
        try store.backup(to: directory)
        #expect(unsafe chmod(directory + "/data.mdb", mode) == 0)
        let restored = target.path + "/restored"
        if isMade { try FileManager.default.createDirectory(atPath: restored, withIntermediateDirectories: false) }
        try Store.restore(from: directory, to: restored)
        for name in try FileManager.default.contentsOfDirectory(atPath: restored) {
            #expect(try Self.mode(restored + "/" + name) == mode | 0o600, "\(name)")
        }
        #expect(try Self.records(restored).map(\.id) == ["s1"])
    }

    @Test(arguments: compacting)
    func `a backup in the effect of a consumer has the change set before`(compacting: Bool) async throws {
        let store = try Store(at: folder.path, records: Sensor.self)
        defer { store.close() }
        let (handled, continuation) = AsyncStream<UInt64>.makeStream()
        try await store.write { try $0.insert(Self.sensor(1)) }
        let task = Task { [directory] in
            try await store.consume("copies") { set, tx in
                guard try set.changes(of: Sensor.self).contains(where: { $0.id == "s1" }) else { return }
                try tx.insert(Self.sensor(2))
                try store.backup(to: directory, compacting: compacting)
                continuation.yield(set.sequence)
            }
        }
        var iterator = handled.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        task.cancel()
        _ = try? await task.value
        #expect(try Self.records(directory).map(\.id) == ["s1"])
        #expect(try store.all(Sensor.self).map(\.id) == ["s1", "s2"])
    }

    @Test(.enabled(if: Python.interpreter != nil, "needs Python with py-lmdb"), arguments: compacting)
    func `a backup and a restore do not wait for a stopped process that writes`(compacting: Bool) throws {
        let store = try Store(at: folder.path, records: Sensor.self)
        defer { store.close() }
        try store.write { try $0.insert(Self.sensor(1)) }
        let other = try #require(try LockedWriter(on: folder.path))
        try other.whileStopped {
            try store.backup(to: directory, compacting: compacting)
            try Store.restore(from: folder.path, to: target.path + "/restored")
        }
        try other.release()
        #expect(try Self.records(directory).map(\.id) == ["s1"])
        #expect(try Self.records(target.path + "/restored").map(\.id) == ["s1"])
    }

    /// A store of several mebibytes, so that its copy has several parts.
    private func largeStore() throws -> Store {
        let store = try Store(at: folder.path, records: Sensor.self)
        let note = String(repeating: "a long note ", count: 10_000)
        try store.write { tx in for number in 1...20 { try tx.insert(Self.sensor(number, note: note)) } }
        return store
    }

    /// Returns whether the parts are reported in order, up to the whole.
    private static func isWhole(_ reports: [CopyProgress]) -> Bool {
        let counts = reports.map(\.byteCount)
        return counts == counts.sorted() && reports.last.map { $0.byteCount == $0.totalByteCount } == true
            && Set(reports.map(\.totalByteCount)).count == 1
    }

    @Test func `the progress of a backup and of a restore ends with the size of the file`() throws {
        let store = try largeStore()
        for compacting in Self.compacting {
            var reports: [CopyProgress] = []
            let directory = target.path + "/\(compacting)"
            try store.backup(to: directory, compacting: compacting) { reports.append($0) }
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/data.mdb")
            #expect(Self.isWhole(reports))
            #expect(reports.last?.totalByteCount == (attributes[.size] as? NSNumber)?.intValue)
            #expect(compacting ? reports.count == 1 : reports.count > 4)
        }
        for source in [folder.path, target.path + "/false"] {
            var reports: [CopyProgress] = []
            try Store.restore(from: source, to: target.path + "/restored") { reports.append($0) }
            #expect(Self.isWhole(reports) && reports.count > 2)
        }
        store.close()
    }

    private struct Stop: Error {}

    @Test(arguments: compacting)
    func `an error in the report of progress ends the backup, and leaves nothing`(compacting: Bool) throws {
        let store = try largeStore()
        defer { store.close() }
        for count in 0..<(compacting ? 1 : 3) {
            var left = count
            #expect(throws: Stop.self) {
                try store.backup(to: directory, compacting: compacting) { _ in
                    if left == 0 { throw Stop() }
                    left -= 1
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
        }
        try store.backup(to: directory, compacting: compacting)
        #expect(try Self.records(directory).count == 20)
    }

    @Test func `an error in the report of progress ends the restore, and the store stays as it was`() throws {
        let store = try largeStore()
        let old = try Store(at: directory, records: Sensor.self)
        try old.write { try $0.insert(Self.sensor(99)) }
        old.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        for isOpen in [true, false] {
            if !isOpen { store.close() }
            #expect(throws: Stop.self) {
                try Store.restore(from: folder.path, to: directory) { if $0.byteCount > 1 << 21 { throw Stop() } }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == names.sorted())
            #expect(try Self.records(directory).map(\.id) == ["s99"])
        }
    }

    @Test(arguments: TestLength.seeds(5, long: 100))
    func `a backup while three processes write is one commit of the feed`(seed: UInt64) throws {
        let writing = try BackupHistory(seed: seed, folder.path)
        for round in 1...(TestLength.isLong ? 60 : 40) {
            let copy = try StoreFolder()
            try writing.backUp(to: copy.path)
            #expect(try copy.findings() == [], "round \(round) of seed \(seed)")
            var options = StoreOptions()
            options.isReadOnly = true
            let copied = try Store(at: copy.path, records: Sensor.self, options: options)
            defer { copied.close() }
            let content = try #require(
                try writing.content(at: copied.position.sequence), "round \(round) of seed \(seed)")
            let records = Dictionary(uniqueKeysWithValues: try copied.all(Sensor.self).map { ($0.id, $0) })
            #expect(records == content, "round \(round) of seed \(seed)")
        }
        try writing.end()
    }
}

/// A store that this process and two others write to while it is copied, and the content after each change set of its feed.
private final class BackupHistory {
    private static let childCount = 2
    private static let idCount = 400
    private static let longestNote = 4_000
    /// How many parts of a copy have commits between them.
    private static let disturbedParts = 25
    /// How many writes of each child wait for their turn at any moment of a copy.
    private static let queuedWrites = 3

    private let store: Store
    private let children: [ForeignChild]
    private var random: TestRandom
    /// The content after the last change set that was read, and after each one of the last copy.
    private var content: [String: Sensor] = [:]
    private var contents: [UInt64: [String: Sensor]] = [:]
    private var sequence: UInt64 = 0

    init(seed: UInt64, _ path: String) throws {
        var options = StoreOptions()
        options.durability = .relaxed
        // Removed change sets give pages back, which writers use again.
        options.limits.retainedChangeSets = 500
        store = try Store(at: path, records: Sensor.self, options: options)
        var random = TestRandom(seed: seed)
        let first = (0..<Self.idCount).map { Self.sensor($0, &random) }
        self.random = random
        try store.write { tx in for sensor in first { try tx.insert(sensor) } }
        children = try (0..<Self.childCount).map { _ in
            let child = try ForeignChild()
            try child.open(path)
            return child
        }
    }

    func end() throws {
        for child in children { try child.close() }
        store.close()
    }

    /// Copies the store, while this process commits between the parts, and the others at any time.
    func backUp(to directory: String) throws {
        for child in children { for _ in 0..<Self.queuedWrites { send(to: child) } }
        let before = try store.position.sequence
        var part = 0
        try store.backup(to: directory) { _ in
            part += 1
            guard part <= Self.disturbedParts else { return }
            for child in children {
                _ = try child.answer()
                send(to: child)
            }
            if random.oneIn(2) {
                let written = Self.sensor(random.below(Self.idCount), &random)
                try store.write { try $0.upsert(written) }
            }
        }
        for child in children { for _ in 0..<Self.queuedWrites { _ = try child.answer() } }
        try read(from: before)
    }

    /// Returns the content after a change set that was made since the last copy began; nil for any other.
    func content(at sequence: UInt64) -> [String: Sensor]? { contents[sequence] }

    private static func sensor(_ number: Int, _ random: inout TestRandom) -> Sensor {
        Sensor(
            id: "s\(number)", room: "r\(random.below(9))", serial: "\(number)", celsius: Double(random.below(1_000)),
            note: String(repeating: "n", count: random.below(longestNote)))
    }

    private func send(to child: ForeignChild) {
        let operations = (0..<random.below(4) + 1).map { _ -> DynamicOperation in
            let number = random.below(Self.idCount)
            if random.oneIn(4) { return .delete(type: 0, id: [.string("s\(number)")]) }
            let written = Self.sensor(number, &random)
            return .put(
                type: 0,
                DynamicRecord(values: [
                    .string(written.id), .string(written.room), .string(written.serial), .double(written.celsius),
                    written.note.map { .string($0) } ?? .none, .string(written.floor.rawValue),
                ]), .upsert)
        }
        child.send(operations, store.recordTypes)
    }

    /// Reads the feed to its end, and keeps the contents from a change set on.
    private func read(from first: UInt64) throws {
        contents = first == sequence ? [sequence: content] : [:]
        let newest = try store.position.sequence
        while sequence < newest {
            sequence += 1
            for change in try store.changeSet(sequence: sequence).changes(of: Sensor.self) {
                content[change.id] = change.after
            }
            if sequence >= first { contents[sequence] = content }
        }
    }
}
