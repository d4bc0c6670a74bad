import Foundation
import ModelStore
import StoreEngine
import TestSupport
import Testing

/// Reads a history's feed, and compares it with the list.
extension FeedModelRun {
    /// The progress of a reader.
    struct Progress {
        let reading: FeedModelReading
        /// The last change set that the reader has seen completely.
        var reached: UInt64
        /// The received changes of a change set whose remaining parts are missing.
        var pending: [PlainChange] = []

        init(_ reading: FeedModelReading, after reached: UInt64) {
            self.reading = reading
            self.reached = reached
        }
    }

    /// The reader that runs for the whole history.
    struct Follower {
        var feed: ChangeFeed.Iterator
        var progress: Progress
    }

    /// Reads from a position to the end, with random options.
    func resume(from position: Position) async throws {
        let range = try store.feedRange
        var progress = Progress(anyReading(), after: position.sequence)
        let end = lastExpected(progress, to: range.upperBound)
        guard end > position.sequence else { return }
        var feed = store.changes(since: position, progress.reading.options).makeAsyncIterator()
        do {
            while progress.reached < end, let set = try await feed.next() { check(set, &progress) }
            #expect(position.sequence >= range.lowerBound, "seed \(seed)")
        } catch let error as StoreError where error.code == .positionCompacted {
            // Retention may have advanced since the test read the range.
            let now = try store.feedRange
            #expect(position.sequence < now.lowerBound, "seed \(seed): \(error)")
            let oldest = try #require(error.oldestPosition?.sequence, "seed \(seed)")
            #expect((range.lowerBound...now.lowerBound).contains(oldest), "seed \(seed)")
        }
    }

    /// Lets the continuous reader read some more.
    func follow() async throws {
        var follower = self.follower ?? makeFollower()
        do {
            for _ in 0..<Int.random(in: 1...8, using: &random) where follower.progress.reached < newest {
                guard let set = try await follower.feed.next() else { return }
                check(set, &follower.progress)
            }
            self.follower = follower
        } catch let error as StoreError where error.code == .positionCompacted {
            #expect(try follower.progress.reached < store.feedRange.lowerBound, "seed \(seed): \(error)")
            self.follower = nil
        }
    }

    private func makeFollower() -> Follower {
        var reading = FeedModelReading(version: version)
        reading.changesPerPart = Int.random(in: 1...4, using: &random)
        let feed = store.changes(from: .newest, reading.options)
        return Follower(feed: feed.makeAsyncIterator(), progress: Progress(reading, after: newest))
    }

    /// Returns a random version that this program knows.
    func anyVersion() -> SensorVersion {
        SensorVersion.allCases[Int.random(in: 0...version.rawValue, using: &random)]
    }

    private func anyReading() -> FeedModelReading {
        var reading = FeedModelReading(version: anyVersion())
        reading.changesPerPart = [1, 2, 3, 4, 100].randomElement(using: &random) ?? 1
        switch Int.random(in: 0..<4, using: &random) {
        case 0: break
        case 1:
            reading.mergesPending = true
            // Merged change sets can cancel each other out.
            reading.reportsProgress = true
            reading.changesPerPart = 100
            reading.wanted = Bool.random(using: &random) ? .all : .sensors
        default:
            reading.wanted = FeedModelReading.Wanted.allCases.randomElement(using: &random) ?? .all
            reading.reportsProgress = Bool.random(using: &random)
            if reading.wanted != .all, Bool.random(using: &random) { reading.skippedOrigin = originName }
        }
        return reading
    }

    /// Returns the last change set that a reader will receive, or its current one.
    func lastExpected(_ progress: Progress, to end: UInt64) -> UInt64 {
        if progress.reading.reportsProgress { return max(progress.reached, end) }
        var last = end
        while last > progress.reached, let noted = entries[last], progress.reading.expected(noted) == nil { last -= 1 }
        return last
    }

    // MARK: Checking

    /// Compares a change set, or a part of one, with the list.
    func check(_ set: ChangeSet, _ progress: inout Progress) {
        do {
            progress.pending += try progress.reading.version.changes(set)
        } catch {
            Issue.record("seed \(seed), change set \(set.sequence): \(error)")
        }
        guard set.isLastPart else {
            #expect(set.position.sequence == set.sequence - 1, "seed \(seed)")
            return
        }
        if set.firstSequence < set.sequence {
            checkNet(set, progress)
        } else {
            checkWhole(set, progress)
        }
        progress.reached = set.sequence
        progress.pending = []
    }

    private func checkWhole(_ set: ChangeSet, _ progress: Progress) {
        let sequence = set.sequence
        guard sequence > progress.reached, let noted = entries[sequence] else {
            Issue.record("seed \(seed): change set \(sequence) came after \(progress.reached)")
            return
        }
        checkGap(progress, before: sequence)
        guard let expected = progress.reading.expected(noted) else {
            #expect(progress.reading.reportsProgress && set.changes.isEmpty, "seed \(seed): \(sequence) is unwanted")
            return
        }
        do {
            try requireSame(progress.pending, expected, "seed \(seed), change set \(sequence), \(progress.reading)")
        } catch {
            Issue.record(error)
        }
        #expect(set.isReset(Sensor.self) == isReset(noted), "seed \(seed), change set \(sequence)")
        switch noted.entry {
        case .changes(_, let position):
            #expect(set.position == position && set.origin.name == noted.origin, "seed \(seed), \(sequence)")
        case .reset: #expect(set.changes.map(\.kind) == [.reset], "seed \(seed), change set \(sequence)")
        case .schema: #expect(set.changes.map(\.kind) == [.schema], "seed \(seed), change set \(sequence)")
        case .tally:
            #expect(set.changes.map(\.typeName) == ["Tally"], "seed \(seed), change set \(sequence)")
        }
    }

    /// Checks that the change sets between two received ones do not concern the reader.
    private func checkGap(_ progress: Progress, before sequence: UInt64) {
        for skipped in progress.reached + 1..<sequence {
            guard let noted = entries[skipped] else {
                Issue.record("seed \(seed): nothing wrote change set \(skipped)")
                continue
            }
            #expect(progress.reading.expected(noted) == nil, "seed \(seed): \(skipped) did not come")
        }
    }

    /// Compares the net changes of several change sets with the states before and after them.
    private func checkNet(_ set: ChangeSet, _ progress: Progress) {
        #expect(progress.reading.mergesPending && set.firstSequence > progress.reached, "seed \(seed), \(set.sequence)")
        checkGap(progress, before: set.firstSequence)
        let between = (set.firstSequence...set.sequence).compactMap { entries[$0] }
        #expect(set.isReset(Sensor.self) == between.contains(where: isReset), "seed \(seed), \(set.sequence)")
        // After a reset the reader reads everything again, so earlier changes do not matter.
        let base = (set.firstSequence...set.sequence).last { entries[$0].map(isReset) ?? false }
        guard let end = entries[set.sequence], let start = entries[base ?? set.firstSequence - 1] else { return }
        let told = progress.pending
        for change in told {
            let expected = PlainChange(id: change.id, before: start.state[change.id], after: end.state[change.id])
            #expect(
                change == expected.known(to: progress.reading.version),
                "seed \(seed), \(set.firstSequence)...\(set.sequence)")
        }
        let kinds = set.changes.filter { $0.typeName == "Sensor" && ![.reset, .schema].contains($0.kind) }.map(\.kind)
        let expected = netKinds(start, end)
        #expect(told.count == expected.count, "seed \(seed), \(set.firstSequence)...\(set.sequence)")
        for (change, kind) in zip(told, kinds) {
            #expect(expected[change.id] == kind, "seed \(seed), \(set.firstSequence)...\(set.sequence): \(change.id)")
        }
    }

    /// Returns the net change of each record that differs between two change sets or has another incarnation.
    private func netKinds(_ start: Noted, _ end: Noted) -> [String: ChangeKind] {
        var kinds: [String: ChangeKind] = [:]
        for id in Set(start.state.keys).union(end.state.keys) {
            switch (start.state[id], end.state[id]) {
            case (nil, _): kinds[id] = .insert
            case (_, nil): kinds[id] = .delete
            case (let before, let after):
                if start.lives[id] != end.lives[id] {
                    kinds[id] = .replace
                } else if before != after {
                    kinds[id] = .update
                }
            }
        }
        return kinds
    }

    private func isReset(_ noted: Noted) -> Bool { if case .reset = noted.entry { true } else { false } }
}
