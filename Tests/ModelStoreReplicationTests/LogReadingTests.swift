import ModelStoreReplication
import StoreRuntime
import Testing

/// The checks of the entries that a log gives to a replica.
struct LogReadingTests {
    private let start = LogPosition.start(generation: 1)

    private func chain(_ count: Int, after position: LogPosition, node: String = "a") -> [LogEntry] {
        var entries: [LogEntry] = []
        for _ in 0..<count {
            entries.append(
                LogEntry(after: entries.last?.position ?? position, node: node, LoggedEntry(changeSets: [])))
        }
        return entries
    }

    private func read(_ position: LogPosition, _ entries: [LogEntry], head: LogPosition? = nil) throws -> [LogEntry] {
        let batch = LogBatch(entries: entries, head: head ?? entries.last?.position ?? position, floor: start)
        return try LogReading.continuation(of: position, in: batch)
    }

    @Test func `entries after the position are returned, earlier ones are left out`() throws {
        let all = chain(5, after: start)
        #expect(try read(start, all) == all)
        #expect(try read(all[1].position, all) == Array(all[2...]))
        #expect(try read(all[4].position, all) == [])
    }

    @Test func `after a hole nothing is returned`() throws {
        let all = chain(5, after: start)
        #expect(try read(start, [all[0], all[2], all[3], all[4]]) == [all[0]])
        #expect(try read(start, [all[2]], head: all[4].position) == [])
    }

    @Test func `an entry that does not continue the position is an error`() throws {
        let (own, other) = (chain(3, after: start), chain(3, after: start, node: "b"))
        for entries in [[other[2]], [other[1], other[2]]] {
            let error = #expect(throws: SharedLogError.self) {
                try read(own[entries.count == 1 ? 1 : 0].position, entries)
            }
            #expect(error?.code == .diverged)
        }
        // The head alone shows that the log has another history.
        let error = #expect(throws: SharedLogError.self) { try read(own[2].position, [], head: other[2].position) }
        #expect(error?.code == .diverged)
    }

    @Test func `a log that is behind the replica, or in another generation, is an error`() throws {
        let own = chain(3, after: start)
        #expect(throws: SharedLogError.self) { try read(own[2].position, [], head: own[0].position) }
        let later = LogPosition(generation: 2, index: 9, hash: .zero)
        let error = #expect(throws: SharedLogError.self) { try read(own[2].position, [], head: later) }
        #expect(error?.code == .otherGeneration)
    }

    @Test func `an entry is read back from its bytes, and damage is an error`() throws {
        let set = LoggedEntry.ChangeSet(sequence: 7, hash: 9, stream: [1, 2, 3])
        let entry = LogEntry(after: start, node: "ä", LoggedEntry(changeSets: [set], assigned: [3: 4]))
        let read = try LogEntry(entry.bytes)
        #expect(read == entry && read.position == entry.position && read.previous == start)
        #expect(read.node == "ä" && read.writeID == entry.writeID && read.changeSetCount == 1)
        for count in 0..<entry.bytes.count {
            let error = #expect(throws: SharedLogError.self) { try LogEntry(Array(entry.bytes[..<count])) }
            #expect(error?.code == .damaged)
        }
        #expect(throws: SharedLogError.self) { try LogEntry(entry.bytes + [0]) }
    }
}
