import Foundation
import StoreEngine
import Testing

@testable import StoreRuntime

/// The order of turns on the writer thread.
@Suite struct WriterTurnsTests {
    private static func job() -> WriteJob {
        let origin = Origin(name: "test", processID: 1)
        return WriteJob(
            durability: .full, context: WriteContext(time: .now, seed: 0, origin: origin, token: 0)
        ) { _ in }
    }

    @Test func `tasks that ask for further tasks leave every second turn to those who write`() {
        var queue = WriteQueue(limits: StoreLimits())
        let task: @Sendable () -> Void = {}
        #expect(queue.add(task) == nil)
        var turns: [String] = []
        for turn in 0..<8 {
            // Another write joins the queue at each of these turns.
            if [1, 2, 5].contains(turn) { #expect(queue.add(Self.job()) == nil) }
            switch queue.next() {
            case .task:
                turns.append("task")
                #expect(queue.add(task) == nil)
            case .writes: turns.append("write")
            case .stop, nil: turns.append("nothing")
            }
        }
        #expect(turns == ["task", "write", "task", "write", "task", "write", "task", "task"])
    }
}
