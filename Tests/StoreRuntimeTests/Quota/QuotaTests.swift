import ChildPrograms
import Foundation
import LMDB
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

@Suite("A store with a greatest size", .timeLimit(.minutes(TestLength.waitMinutes))) struct QuotaTests {
    private static let limit = 6 << 20

    /// How the records of a test are written.
    struct Shape: Sendable, CustomTestStringConvertible {
        let payloadCount: Int
        let batchCount: Int
        let usesRedoLog: Bool

        var testDescription: String {
            "\(batchCount) records with \(payloadCount) bytes in a write, \(usesRedoLog ? "with" : "without") a log"
        }
    }

    static let shapes = [(20, 100), (20, 5_000), (3_000, 10), (3_000, 300), (40_000, 1), (700_000, 1)].flatMap { size in
        [true, false].map { Shape(payloadCount: size.0, batchCount: size.1, usesRedoLog: $0) }
    }

    private static func options(_ limit: Int = limit, usesRedoLog: Bool = true) -> StoreOptions {
        var options = StoreOptions()
        options.maximumByteCount = limit
        options.usesRedoLog = usesRedoLog
        options.durability = .relaxed
        return options
    }

    private static func insert(_ store: Store, _ shape: Shape, round: Int) throws {
        try store.write { tx in
            for rank in 0..<shape.batchCount {
                try tx.insert(
                    Ticket(
                        owner: "\(round)", rank: Int32(rank), payload: Data(repeating: 7, count: shape.payloadCount)))
            }
        }
    }

    /// Inserts until the store is full, and expects that the files never exceed the limit.
    ///
    /// - Returns: how many writes were committed.
    private static func fill(
        _ store: Store, _ shape: Shape, from first: Int = 0, limit: Int = limit
    ) throws -> (count: Int, error: StoreError) {
        var round = first
        while true {
            let before = (try store.position.sequence, try store.read { try $0.count(Ticket.self) })
            let error = storeError { try insert(store, shape, round: round) }
            let byteCount = try FolderSize.byteCount(of: store.path)
            #expect(byteCount <= limit)
            guard let error else {
                round += 1
                continue
            }
            let after = (try store.position.sequence, try store.read { try $0.count(Ticket.self) })
            #expect(before == after)
            return (round - first, error)
        }
    }

    @Test(arguments: shapes)
    func `inserts fill the limit, never exceed it, and then fail and change nothing`(_ shape: Shape) throws {
        let folder = try StoreFolder()
        let store = try Store(
            at: folder.path, records: Ticket.self, options: Self.options(usesRedoLog: shape.usesRedoLog))
        let (count, error) = try Self.fill(store, shape)
        #expect(error.code == .storeFull, "\(error)")
        #expect(error.message.contains("\(Self.limit) bytes"), "\(error)")
        #expect(error.remedy == "delete records, or open the store with a larger maximumByteCount")
        #expect(count > 0)
        // Most of the limit is used: the feed and the records share it.
        if shape.batchCount * shape.payloadCount < 100_000 {
            #expect(try FolderSize.byteCount(of: folder.path) > Self.limit / 2)
        }
        #expect(try store.all(Ticket.self).count == count * shape.batchCount)
        store.close()
        #expect(try folder.findings() == [])
    }

    // Without those writes that take more than a tenth of the limit: they may not fit again, as *Reliability* says.
    @Test(arguments: shapes.filter { $0.batchCount <= 100 })
    func `all records of a full store can be deleted, and their space is used again`(_ shape: Shape) throws {
        let folder = try StoreFolder()
        let store = try Store(
            at: folder.path, records: Ticket.self, options: Self.options(usesRedoLog: shape.usesRedoLog))
        var (count, first) = (try Self.fill(store, shape).count, 0)
        let firstCount = count
        for _ in 0..<3 {
            // Tens of thousands of small records, each in a write of its own, take minutes.
            let step = shape.payloadCount < 100 ? 40 : 1
            let tickets = try store.all(Ticket.self)
            for start in stride(from: 0, to: tickets.count, by: step) {
                try store.write { tx in
                    for ticket in tickets[start..<min(start + step, tickets.count)] {
                        _ = try tx.delete(Ticket.self, id: ticket.id)
                    }
                }
                #expect(try FolderSize.byteCount(of: folder.path) <= Self.limit)
            }
            #expect(try store.all(Ticket.self).isEmpty)
            first += count
            count = try Self.fill(store, shape, from: first).count
            #expect(count > 0 && count * 4 >= firstCount, "\(count) writes after \(firstCount)")
        }
        store.close()
        #expect(try folder.findings() == [])
    }

    @Test(arguments: [true, false])
    func `updates that make records longer fail in a full store, and those that make them shorter do not`(
        _ usesRedoLog: Bool
    ) throws {
        let folder = try StoreFolder()
        let store = try Store(
            at: folder.path, records: Ticket.self, options: Self.options(usesRedoLog: usesRedoLog))
        _ = try Self.fill(store, Shape(payloadCount: 3_000, batchCount: 1, usesRedoLog: usesRedoLog))
        let tickets = try store.all(Ticket.self)
        var long = tickets[0]
        long.payload = Data(repeating: 1, count: 1_000_000)
        let error = storeError { [long] in try store.write { tx in try tx.update(long) } }
        #expect(error?.code == .storeFull)
        #expect(try store.all(Ticket.self) == tickets)
        for var ticket in tickets {
            ticket.payload = Data()
            try store.write { [ticket] tx in try tx.update(ticket) }
        }
        #expect(try store.all(Ticket.self).allSatisfy { $0.payload.isEmpty })
        #expect(try FolderSize.byteCount(of: folder.path) <= Self.limit)
        store.close()
        #expect(try folder.findings() == [])
    }

    @Test func `an insert is undone in a full store`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        _ = try Self.fill(store, Shape(payloadCount: 3_000, batchCount: 10, usesRedoLog: true))
        let (count, newest) = (try store.all(Ticket.self).count, try store.position.sequence)
        try store.write { tx in _ = try tx.undo(sequence: newest) }
        #expect(try store.all(Ticket.self).count == count - 10)
    }

    @Test func `deletes that wait together with inserts are committed although the inserts fail`() async throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        let shape = Shape(payloadCount: 3_000, batchCount: 1, usesRedoLog: true)
        let (first, _) = try Self.fill(store, shape)
        let deleted = try store.all(Ticket.self)[0]
        let gate = await Gate.closed(before: store)
        let insert = Task {
            await storeError {
                try await store.write { tx in
                    try tx.insert(
                        Ticket(owner: "\(first)", rank: 0, payload: Data(repeating: 7, count: 2_000_000)))
                }
            }
        }
        await gate.waits(for: 1)
        let delete = Task { try await store.write { tx in _ = try tx.delete(Ticket.self, id: deleted.id) } }
        await gate.open(after: 2)
        #expect(await insert.value?.code == .storeFull)
        try await delete.value
        #expect(try store.all(Ticket.self).count == first - 1)
    }

    @Test func `a store that is larger than its limit opens, reads and deletes`() throws {
        let folder = try StoreFolder()
        let shape = Shape(payloadCount: 3_000, batchCount: 100, usesRedoLog: true)
        let large = try Store(at: folder.path, records: Ticket.self)
        for round in 0..<40 { try Self.insert(large, shape, round: round) }
        large.close()
        let byteCount = try FolderSize.byteCount(of: folder.path)
        #expect(byteCount > 2 * Self.limit)
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        let tickets = try store.all(Ticket.self)
        #expect(tickets.count == 4_000)
        var isRefused = false
        for round in 40..<200 where !isRefused {
            let error = storeError { try Self.insert(store, shape, round: round) }
            isRefused = error?.code == .storeFull
        }
        #expect(isRefused)
        for ticket in tickets { try store.write { tx in _ = try tx.delete(Ticket.self, id: ticket.id) } }
        #expect(try FolderSize.byteCount(of: folder.path) <= byteCount + (1 << 20))
        store.close()
        #expect(try folder.findings() == [])
    }

    @Test func `a store that was filled without a redo log gets none that would exceed the limit`() throws {
        let folder = try StoreFolder()
        let shape = Shape(payloadCount: 3_000, batchCount: 1, usesRedoLog: false)
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options(usesRedoLog: false))
        let (count, _) = try Self.fill(store, shape)
        store.close()
        let again = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        _ = try Self.fill(again, shape, from: count)
        for ticket in try again.all(Ticket.self) {
            try again.write { tx in _ = try tx.delete(Ticket.self, id: ticket.id) }
        }
        #expect(try FolderSize.byteCount(of: folder.path) <= Self.limit)
    }

    @Test func `a full store with an old snapshot keeps its limit, and the error names the reader`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        let shape = Shape(payloadCount: 3_000, batchCount: 1, usesRedoLog: true)
        _ = try Self.fill(store, shape)
        let environment = try LMDBEnvironment.open(at: folder.path, sharesAnyOptions: true)
        defer { environment.close() }
        let reader = try environment.beginRead()
        var failure: StoreError?
        for ticket in try store.all(Ticket.self) where failure == nil {
            failure = storeError { try store.write { tx in _ = try tx.delete(Ticket.self, id: ticket.id) } }
            #expect(try FolderSize.byteCount(of: folder.path) <= Self.limit)
        }
        #expect(failure?.code == .storeFull)
        #expect(failure?.message.contains("is held by process \(getpid())") == true, "\(String(describing: failure))")
        #expect(reader.snapshot.transactionID > 0)
    }

    @Test(arguments: [20, 3_000, 60_000])
    func `two processes that write keep one limit`(_ textCount: Int) throws {
        let folder = try StoreFolder()
        let limit = 8 << 20
        let processes = try ["a", "b"].map {
            try ChildProcess(
                BuiltProgram.path("CrashWorker"), ["fill", folder.path, "\(limit)", $0, "\(textCount)", "3"])
        }
        for process in processes {
            let lines = process.remainingLines()
            #expect(lines.last == "done", "\(lines)")
            #expect(try process.wait() == .exit(0))
        }
        #expect(try FolderSize.byteCount(of: folder.path) <= limit)
        #expect(try folder.findings() == [])
    }
}

/// The size of a store's directory.
enum FolderSize {
    /// Returns the lengths of all files in a directory together.
    static func byteCount(of path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + (attributes[.size] as? Int ?? 0)
        }
    }
}
