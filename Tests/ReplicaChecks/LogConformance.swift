package import ModelStoreReplication
import StoreRuntime
import TestSupport

/// The checks that every shared log must pass, whatever engine keeps it. Throws at the first failure.
package struct LogConformance: Sendable {
    /// Opens a connection to the same log. The log is empty at the first call.
    private let connect: @Sendable () async throws -> any SharedLog

    /// Lets time pass for the lifetimes of registers.
    private let letTimePass: @Sendable (Duration) async throws -> Void

    package init(
        letTimePass: @escaping @Sendable (Duration) async throws -> Void,
        _ connect: @escaping @Sendable () async throws -> any SharedLog
    ) {
        self.letTimePass = letTimePass
        self.connect = connect
    }

    /// Makes an entry with `byteCount` bytes of content, which no store would have.
    package func entry(
        after position: LogPosition, node: String = "a", byteCount: Int = 3, id: WriteID = WriteID()
    ) -> LogEntry {
        let set = LoggedEntry.ChangeSet(sequence: 1, hash: 2, stream: [UInt8](repeating: 7, count: byteCount))
        return LogEntry(after: position, writeID: id, node: node, LoggedEntry(changeSets: [set]))
    }

    private func require(_ isRight: Bool, _ text: String) throws { if !isRight { throw Mismatch("\(text)") } }

    private func code(_ body: () async throws -> Void) async -> SharedLogError.Code? {
        do { try await body() } catch { return (error as? SharedLogError)?.code }
        return nil
    }

    package func run() async throws {
        let (log, other) = (try await connect(), try await connect())
        let start = try await log.head()
        try require(start == .start(generation: start.generation), "an empty log begins at \(start)")
        var entries: [LogEntry] = []
        for number in 0..<20 {
            let next = entry(after: entries.last?.position ?? start, node: "n\(number % 3)", byteCount: number * 100)
            try require(
                try await (number.isMultiple(of: 2) ? log : other).append(next) == .appended, "append \(number)")
            entries.append(next)
        }
        try await readsBack(other, start, entries)
        try await comparesHeads(log, start, entries)
        try await limits(log, entries[19].position)
        try await wakes(log, other)
        try await trims(log, other, start, entries)
        try await lateRetry(log, other)
        try await races()
        try await registers(log, other)
        try await generations(log, other)
    }

    private func generations(_ log: any SharedLog, _ other: any SharedLog) async throws {
        let head = try await log.head()
        _ = try await log.setRegister("kept", to: [1], from: 0, lifetime: nil)
        let start = LogPosition(generation: head.generation + 2, index: head.index + 5, hash: head.hash)
        let stale = LogPosition(generation: head.generation, index: head.index - 1, hash: head.hash)
        try require(try await !other.beginGeneration(at: start, after: stale), "a generation began after another head")
        try require(try await log.head() == head, "a generation that did not begin moved the head")
        try require(try await other.beginGeneration(at: start, after: head), "a generation did not begin")
        try require(try await !other.beginGeneration(at: start, after: head), "a generation began twice")
        let batch = try await log.entries(after: start, maximumByteCount: 1)
        try require(batch == LogBatch(entries: [], head: start, floor: start), "a new generation: \(batch)")
        let found = await code { _ = try await log.append(entry(after: head)) }
        try require(found == .otherGeneration, "an append to the old generation: \(String(describing: found))")
        try require(try await log.registers(prefix: "kept").count == 1, "a register vanished with its generation")
        let next = entry(after: start)
        try require(try await log.append(next) == .appended, "an append to a new generation")
        try require(try await other.entries(after: start, maximumByteCount: 1).entries == [next], "its first entry")
    }

    private func readsBack(_ log: any SharedLog, _ start: LogPosition, _ entries: [LogEntry]) async throws {
        try require(try await log.head() == entries[19].position, "the head differs")
        let all = try await log.entries(after: start, maximumByteCount: 1 << 20)
        try require(all.entries == entries && all.head == entries[19].position && all.floor == start, "reading all")
        let rest = try await log.entries(after: entries[9].position, maximumByteCount: 1 << 20)
        try require(rest.entries == Array(entries[10...]), "reading from the middle")
        let some = try await log.entries(after: start, maximumByteCount: 1_000)
        try require(!some.entries.isEmpty && some.entries.count < 20, "reading a part")
        try require(some.entries == Array(entries[..<some.entries.count]), "a part has other entries")
        let one = try await log.entries(after: entries[18].position, maximumByteCount: 1)
        try require(one.entries == [entries[19]], "an entry above the limit of a read")
        let none = try await log.entries(after: entries[19].position, maximumByteCount: 1)
        try require(none.entries.isEmpty && none.head == entries[19].position, "reading at the head")
        for wrong in [
            LogPosition(generation: start.generation, index: 3, hash: entries[3].position.hash),
            LogPosition(generation: start.generation, index: 20, hash: .zero),
            LogPosition(generation: start.generation, index: 40, hash: .zero),
        ] {
            let found = await code { _ = try await log.entries(after: wrong, maximumByteCount: 1) }
            try require(found == .diverged, "reading after \(wrong): \(String(describing: found))")
        }
        let later = LogPosition(generation: start.generation + 1, index: 20, hash: entries[19].position.hash)
        let found = await code { _ = try await log.entries(after: later, maximumByteCount: 1) }
        try require(found == .otherGeneration, "reading in another generation: \(String(describing: found))")
    }

    private func comparesHeads(_ log: any SharedLog, _ start: LogPosition, _ entries: [LogEntry]) async throws {
        let head = entries[19].position
        guard case .conflict(let batch) = try await log.append(entry(after: entries[17].position)) else {
            throw Mismatch("an entry in the middle was appended")
        }
        try require(batch.entries == Array(entries[18...]) && batch.head == head, "a conflict brings other entries")
        guard case .conflict = try await log.append(entries[19]) else { throw Mismatch("an entry was appended twice") }
        for wrong in [
            LogPosition(generation: head.generation, index: 20, hash: entries[3].position.hash),
            LogPosition(generation: head.generation, index: 21, hash: head.hash),
        ] {
            let found = await code { try require(try await log.append(entry(after: wrong)) != .appended, "") }
            try require(found == .diverged, "appending after \(wrong): \(String(describing: found))")
        }
        let later = LogPosition(generation: head.generation + 1, index: 20, hash: head.hash)
        let found = await code { _ = try await log.append(entry(after: later)) }
        try require(found == .otherGeneration, "appending in another generation: \(String(describing: found))")
        try require(try await log.head() == head, "a refused append moved the head")
    }

    private func limits(_ log: any SharedLog, _ head: LogPosition) async throws {
        let overhead = entry(after: head, byteCount: log.maximumEntryByteCount).bytes.count - log.maximumEntryByteCount
        let largest = entry(after: head, byteCount: log.maximumEntryByteCount - overhead)
        try require(largest.bytes.count == log.maximumEntryByteCount, "the test's entry has another length")
        let found = await code {
            _ = try await log.append(entry(after: head, byteCount: log.maximumEntryByteCount - overhead + 1))
        }
        try require(found == .entryTooLarge, "an entry above the limit: \(String(describing: found))")
        let used = try await log.usage()
        try require(try await log.append(largest) == .appended, "an entry of the greatest length")
        let read = try await log.entries(after: head, maximumByteCount: 1)
        try require(read.entries == [largest], "reading an entry of the greatest length")
        // As many bytes after the same entry, which come too late.
        let late = entry(after: head, node: "b", byteCount: log.maximumEntryByteCount - overhead)
        guard case .conflict(let batch) = try await log.append(late) else {
            throw Mismatch("a late entry was appended")
        }
        try require(batch.entries == [largest], "a conflict brings another long entry")
        // An engine may compress the entries, and may count them late.
        while try await log.usage().byteCount <= used.byteCount { try await nextTurn() }
    }

    private func wakes(_ log: any SharedLog, _ other: any SharedLog) async throws {
        var iterator = other.wakes().makeAsyncIterator()
        // Wakes may be late, so the entries are appended until one has come.
        let appending = Task {
            while !Task.isCancelled {
                _ = try await log.append(entry(after: try await log.head()))
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try require(await iterator.next() != nil, "no wake came")
        appending.cancel()
        _ = await appending.result
    }

    private func trims(
        _ log: any SharedLog, _ other: any SharedLog, _ start: LogPosition, _ entries: [LogEntry]
    ) async throws {
        try await log.trim(through: entries[9].position)
        let found = await code { _ = try await other.entries(after: entries[8].position, maximumByteCount: 1) }
        try require(found == .trimmed, "reading trimmed entries: \(String(describing: found))")
        let rest = try await other.entries(after: entries[9].position, maximumByteCount: 1)
        try require(rest.entries.first == entries[10] && rest.floor == entries[9].position, "reading from the floor on")
        // Again, and less.
        try await log.trim(through: entries[9].position)
        let before = await code { try await log.trim(through: entries[4].position) }
        try require(before == nil || before == .trimmed, "trimming less: \(String(describing: before))")
        let rest2 = try await other.entries(after: entries[9].position, maximumByteCount: 1)
        try require(rest2.floor == entries[9].position, "trimming less moved the floor")
    }

    /// A request that arrives when its place is trimmed must not be appended.
    private func lateRetry(_ log: any SharedLog, _ other: any SharedLog) async throws {
        let head = try await log.head()
        let late = entry(after: head, node: "late")
        let next = entry(after: head)
        try require(try await other.append(next) == .appended, "append before the late retry")
        try await other.trim(through: next.position)
        let found = await code { try require(try await log.append(late) != .appended, "") }
        try require(found == .trimmed, "a late retry: \(String(describing: found))")
        try require(try await log.head() == next.position, "a late retry moved the head")
    }

    private func registers(_ log: any SharedLog, _ other: any SharedLog) async throws {
        try require(try await log.registers(prefix: "").isEmpty, "a new log has registers")
        guard case .set(let first) = try await log.setRegister("a/1", to: [1], from: 0, lifetime: nil), first > 0 else {
            throw Mismatch("a register was not made")
        }
        let made = LogRegister(key: "a/1", value: [1], version: first)
        try require(
            try await other.setRegister("a/1", to: [2], from: 0, lifetime: nil) == .conflict(made), "made twice")
        try require(
            try await other.setRegister("a/1", to: [2], from: first + 1, lifetime: nil) == .conflict(made),
            "another version was replaced")
        guard case .set(let second) = try await other.setRegister("a/1", to: [], from: first, lifetime: .seconds(60)),
            second != first, second > 0
        else { throw Mismatch("a register was not replaced") }
        try require(
            try await log.setRegister("b", to: [9], from: 7, lifetime: nil) == .conflict(nil), "none was replaced")
        for key in ["a/3", "a/2", "b"] { _ = try await log.setRegister(key, to: [3], from: 0, lifetime: nil) }
        let found = try await other.registers(prefix: "a/")
        try require(found.map(\.key) == ["a/1", "a/2", "a/3"] && found[0].value == [], "the registers: \(found)")
        try require(
            try await log.setRegister("a/1", to: nil, from: first, lifetime: nil)
                == .conflict(LogRegister(key: "a/1", value: [], version: second)), "another version was removed")
        try require(
            try await log.setRegister("a/1", to: nil, from: second, lifetime: nil) == .set(version: 0), "removing")
        try require(try await log.setRegister("a/1", to: nil, from: second, lifetime: nil) == .conflict(nil), "gone")
        guard case .set(let third) = try await log.setRegister("a/1", to: [4], from: 0, lifetime: nil) else {
            throw Mismatch("a removed register was not made again")
        }
        try require(third != first && third != second, "a version came twice")
        // One of several nodes that make a register at once succeeds.
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in UInt8(0)..<8 {
                group.addTask {
                    let outcome = try await connect().setRegister("c", to: [number], from: 0, lifetime: nil)
                    if case .set = outcome { return true }
                    return false
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        try require(winners == 1, "\(winners) nodes made a register")
        try require(try await log.head() == other.head(), "registers moved the head")
        try await lifetimes(log)
    }

    /// A register ends after its lifetime, and not before, and setting it again makes it last longer.
    private func lifetimes(_ log: any SharedLog) async throws {
        guard case .set(let version) = try await log.setRegister("d/1", to: [1], from: 0, lifetime: .seconds(1)),
            case .set = try await log.setRegister("d/1", to: [2], from: version, lifetime: .seconds(600)),
            case .set = try await log.setRegister("d/2", to: [3], from: 0, lifetime: .seconds(1))
        else { throw Mismatch("a register was not made") }
        // An engine may end a register late.
        for _ in 0..<300 {
            if try await log.registers(prefix: "d/2").isEmpty { break }
            try await letTimePass(.milliseconds(100))
        }
        let found = try await log.registers(prefix: "d/")
        try require(found.map(\.value) == [[2]], "the registers after their lifetimes: \(found)")
    }

    /// If several nodes append after the same entry, the log takes one of them. The entries are a chain without a gap.
    private func races() async throws {
        let start = try await connect().head()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<4 {
                group.addTask {
                    let log = try await connect()
                    var (position, appended) = (start, 0)
                    while appended < 25 {
                        let next = entry(after: position, node: "racer\(number)")
                        switch try await log.append(next) {
                        case .appended:
                            appended += 1
                            position = next.position
                        case .conflict(let batch): position = batch.head
                        }
                    }
                    return appended
                }
            }
            var count = 0
            for try await some in group { count += some }
            try require(count == 100, "\(count) of 100 appends")
        }
        let all = try await connect().entries(after: start, maximumByteCount: 1 << 20)
        let fresh = try LogReading.continuation(of: start, in: all)
        try require(fresh.count == 100 && fresh.last?.position == all.head, "the racers' entries are no chain")
    }
}
