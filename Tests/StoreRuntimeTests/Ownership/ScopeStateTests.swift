import Testing

@testable import StoreRuntime

@Suite struct ScopeStateTests {
    @Test func `who waits for the end is told after the registry and the parent, also who comes in between`() async {
        var state = ScopeState()
        let task = state.addTask()
        let children = state.beginToClose()
        #expect(children?.isEmpty == true)
        let hasEndedAtOnce = state.finishTeardown()
        #expect(!hasEndedAtOnce)
        let hasEnded = task.map { state.taskEnded($0) }
        #expect(hasEnded == true)
        // It is told once.
        let hasEndedAgain = state.finishTeardown()
        #expect(!hasEndedAgain)
        await withCheckedContinuation { continuation in
            let isOver = state.wait(continuation)
            #expect(!isOver)
            for waiter in state.endIsKnown() { waiter.resume() }
        }
        await withCheckedContinuation { continuation in
            if state.wait(continuation) { continuation.resume() }
        }
        #expect(state.phase == .closed)
    }
}
