import Foundation
import LMDB
import StoreEngine
import Synchronization
import Testing

@testable import StoreRuntime

/// What is found by looking now and then, where nothing wakes.
@Suite(.timeLimit(.minutes(20))) struct SweepTests {
    /// A store as the dispatcher sees it.
    private final class Seen: Sendable {
        private let state = Mutex((sequence: UInt64(0), foreign: Int?.none, told: 0))
        /// An element for each write of another program that was noted.
        let reports: AsyncStream<Void>
        private let report: AsyncStream<Void>.Continuation

        init() { (reports, report) = AsyncStream.makeStream() }

        var told: Int { state.withLock { $0.told } }

        func commit(_ sequence: UInt64, foreign: Int? = nil) {
            state.withLock { ($0.sequence, $0.foreign) = (sequence, foreign) }
        }

        var access: Dispatcher.Access {
            Dispatcher.Access {
                self.state.withLock { ($0.sequence, $0.foreign) }
            } noteForeignWrite: {
                self.state.withLock { $0.told += 1 }
                self.report.yield()
            }
        }
    }

    /// Neither may the wake file be usable nor is there a data file to watch; or the file is there and nobody wakes by it.
    @Test(arguments: [false, true])
    func `what others commit is found although neither the wake file nor the data file tells of it`(
        hasWakeFile: Bool
    ) async throws {
        let folder = try StoreFolder()
        let wakeFile = hasWakeFile ? try WakeFile(in: folder.path, fileMode: 0o600, isReadOnly: false) : nil
        let dispatcher = Dispatcher(path: folder.path, wakeFile: wakeFile)
        let seen = Seen()
        async let wake = dispatcher.wait(after: 0, seen.access)
        while !dispatcher.wantsEntries { await Task.yield() }
        seen.commit(1)
        #expect(await wake == .moved)
        async let wakeAgain = dispatcher.wait(after: 1, seen.access)
        // A program that knows nothing of the feed: it does not move until somebody has noted that.
        seen.commit(1, foreign: 7)
        for await _ in seen.reports { break }
        seen.commit(2)
        #expect(await wakeAgain == .moved)
        #expect(seen.told == 1)
        dispatcher.stop()
    }
}
