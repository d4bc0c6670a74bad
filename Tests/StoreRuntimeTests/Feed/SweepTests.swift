import Foundation
import LMDB
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// The notifier finds commits by polling where no wake arrives.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SweepTests {
    /// A store as the notifier sees it.
    private final class Seen: Sendable {
        private let state = Mutex((sequence: UInt64(0), foreign: Int?.none, told: 0))
        /// One element for each write of a foreign program that the notifier noted.
        let reports: AsyncStream<Void>
        private let report: AsyncStream<Void>.Continuation

        init() { (reports, report) = AsyncStream.makeStream() }

        var told: Int { state.withLock { $0.told } }

        func commit(_ sequence: UInt64, foreign: Int? = nil) {
            state.withLock { ($0.sequence, $0.foreign) = (sequence, foreign) }
        }

        var access: FeedNotifier.Access {
            FeedNotifier.Access {
                self.state.withLock { ($0.sequence, $0.foreign) }
            } noteForeignWrite: {
                self.state.withLock { $0.told += 1 }
                self.report.yield()
            }
        }
    }

    /// In one case the wake file is unusable and there is no data file to watch. In the other the wake file works, but no process
    /// signals it.
    @Test(arguments: [false, true])
    func `what others commit is found although neither the wake file nor the data file tells of it`(
        hasWakeFile: Bool
    ) async throws {
        let folder = try StoreFolder()
        let wakeFile = hasWakeFile ? try WakeFile(in: folder.path, fileMode: 0o600, isReadOnly: false) : nil
        let notifier = FeedNotifier(path: folder.path, wakeFile: wakeFile)
        let seen = Seen()
        async let wake = notifier.wait(after: 0, seen.access)
        while !notifier.wantsEntries { try await nextTurn() }
        seen.commit(1)
        #expect(try await wake == .moved)
        async let wakeAgain = notifier.wait(after: 1, seen.access)
        // A program that does not know the feed leaves the position unchanged until a ModelStore process notes its write.
        seen.commit(1, foreign: 7)
        for await _ in seen.reports { break }
        seen.commit(2)
        #expect(try await wakeAgain == .moved)
        #expect(seen.told == 1)
        notifier.stop()
    }
}
