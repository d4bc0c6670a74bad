import ModelStore
import TestSupport
import Testing

/// Change sets read by position or number.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SingleChangeSetTests {
    @Test func `a change set is read whole by its position and by its number`() async throws {
        let store = try Store.temporary(records: Reading.self, options: ChangeFeedTests.small())
        let position = try await store.write(returning: .position) { tx in
            for id in 0..<15_000 { try tx.insert(Reading(id: id, value: id)) }
        }.position
        try await store.write { try $0.insert(Reading(id: 15_000, value: 0)) }
        for set in [try store.changeSet(at: position), try store.changeSet(sequence: position.sequence)] {
            #expect(set.position == position && set.isWhole && set.isLastPart)
            #expect(try set.changes(of: Reading.self).map(\.id) == Array(0..<15_000))
        }
        let newest = try store.changeSet(at: store.position)
        #expect(try newest.changes(of: Reading.self).map(\.id) == [15_000])
        // A change set that was read whole can be undone.
        try await store.undo(try store.changeSet(at: position))
        #expect(try store.read { try $0.all(Reading.self).map(\.id) } == [15_000])
    }

    @Test func `one that is not there is a typed error`() async throws {
        var options = ChangeFeedTests.small()
        options.limits.retainedChangeSets = 2
        let store = try Store.temporary(records: Reading.self, options: options)
        let first = try await store.write(returning: .position) { try $0.insert(Reading(id: 0, value: 0)) }.position
        for id in 1...40 { try await store.write { try $0.insert(Reading(id: id, value: id)) } }
        let newest = try store.position.sequence
        func code(_ body: () throws -> ChangeSet) throws -> StoreError.Code? {
            #expect(throws: StoreError.self) { try body() }?.code
        }
        #expect(try code { try store.changeSet(sequence: newest + 1) } == .positionInFuture)
        #expect(try code { try store.changeSet(sequence: 0) } == .invalidValue)
        #expect(try code { try store.changeSet(at: first) } == .positionCompacted)
        #expect(try code { try store.changeSet(sequence: try store.feedRange.lowerBound) } != nil)
        let other = try Store.temporary(records: Reading.self, options: ChangeFeedTests.small())
        #expect(try code { try store.changeSet(at: other.position) } == .positionOfAnotherStore)
        for sequence in [newest + 1, first.sequence] {
            await #expect(throws: StoreError.self) { try await store.undo(sequence: sequence) }
        }
    }
}
