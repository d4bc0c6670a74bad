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
        // The end is reported only once.
        let hasEndedAgain = state.finishTeardown()
        #expect(!hasEndedAgain)
        await withCheckedContinuation { continuation in
            let isOver = state.wait(state.beginWait(), continuation)
            #expect(!isOver)
            for waiter in state.endIsKnown() { waiter.resume() }
        }
        await withCheckedContinuation { continuation in
            if state.wait(state.beginWait(), continuation) { continuation.resume() }
        }
        #expect(state.phase == .closed)
    }

    @Test func `who waits for the end of an open scope can be cancelled, before and after he has begun to`() async {
        var state = ScopeState()
        await withCheckedContinuation { continuation in
            let number = state.beginWait()
            let isOver = state.wait(number, continuation)
            #expect(!isOver)
            let waiter = state.cancelWait(number, whileClosing: false)
            #expect(waiter != nil)
            waiter?.resume()
            let again = state.cancelWait(number, whileClosing: true)
            #expect(again == nil)
        }
        await withCheckedContinuation { continuation in
            let number = state.beginWait()
            let waiter = state.cancelWait(number, whileClosing: false)
            #expect(waiter == nil)
            if state.wait(number, continuation) { continuation.resume() }
        }
        _ = state.beginToClose()
        await withCheckedContinuation { continuation in
            let number = state.beginWait()
            let isOver = state.wait(number, continuation)
            let waiter = state.cancelWait(number, whileClosing: false)
            #expect(!isOver && waiter == nil)
            let cancelled = state.cancelWait(number, whileClosing: true)
            #expect(cancelled != nil)
            cancelled?.resume()
        }
    }
}
