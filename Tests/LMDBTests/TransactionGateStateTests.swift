import Testing

@testable import LMDB

@Suite
struct TransactionGateStateTests {
    private let one = ThreadIdentity(handle: 1, kernelNumber: 1)
    private let two = ThreadIdentity(handle: 2, kernelNumber: 2)
    private let three = ThreadIdentity(handle: 3, kernelNumber: 3)
    private let all: (ThreadIdentity) -> Bool = { _ in true }

    @Test
    func `Readers and one writer are in at a time`() {
        var gate = TransactionGateState()
        #expect(gate.enterRead(thread: one) == .enter)
        #expect(gate.enterRead(thread: one) == .enter)
        #expect(gate.enterWrite(two, isRunning: all) == .enter)
        #expect(gate.enterWrite(three, isRunning: all) == .wait)
        #expect(gate.enterWrite(two, isRunning: all) == .refuse(.alreadyWriting))
        gate.leaveWrite()
        #expect(gate.enterWrite(three, isRunning: all) == .enter)
    }

    @Test
    func `A shut gate holds newcomers until those inside are out`() {
        var gate = TransactionGateState()
        #expect(gate.enterRead(thread: one) == .enter)
        #expect(gate.shut(thread: two, keepingWriter: false) == .enter)
        #expect(gate.lock(keepingWriter: false) == .wait)
        #expect(gate.enterRead(thread: three) == .wait)
        #expect(gate.enterWrite(three, isRunning: all) == .wait)
        #expect(gate.shut(thread: three, keepingWriter: false) == .wait)
        #expect(gate.leaveRead() == true, "wakes the one who wants to be alone")
        #expect(gate.lock(keepingWriter: false) == .enter)
        #expect(gate.enterRead(thread: three) == .wait)
        gate.reopen()
        #expect(gate.enterRead(thread: three) == .enter)
    }

    @Test
    func `The writer still reads while somebody waits for it to leave`() {
        var gate = TransactionGateState()
        #expect(gate.enterWrite(one, isRunning: all) == .enter)
        #expect(gate.shut(thread: two, keepingWriter: false) == .enter)
        #expect(gate.lock(keepingWriter: false) == .wait)
        #expect(gate.enterRead(thread: one) == .enter)
        #expect(gate.enterRead(thread: three) == .wait)
    }

    @Test
    func `The writer can be alone without leaving`() {
        var gate = TransactionGateState()
        #expect(gate.enterWrite(one, isRunning: all) == .enter)
        #expect(gate.shut(thread: one, keepingWriter: false) == .refuse(.alreadyWriting))
        #expect(gate.shut(thread: one, keepingWriter: true) == .enter)
        #expect(gate.lock(keepingWriter: true) == .enter)
        #expect(gate.enterRead(thread: one) == .wait)
        gate.reopen()
        #expect(gate.isWriting)
    }

    @Test
    func `An abandoned writer keeps all out but its own thread`() {
        var gate = TransactionGateState()
        #expect(gate.enterWrite(one, isRunning: all) == .enter)
        gate.abandonWrite()
        #expect(gate.enterWrite(two, isRunning: all) == .refuse(.abandonedWriter))
        #expect(gate.leaveForClose(isRunning: all) == .refuse(.abandonedWriter))
        #expect(gate.resumeAbandoned(two) == false)
        #expect(gate.resumeAbandoned(one) == true)
        #expect(gate.enterWrite(two, isRunning: all) == .wait)
    }

    @Test
    func `A writer whose thread has ended is given up, not waited for`() {
        var gate = TransactionGateState()
        #expect(gate.enterWrite(one, isRunning: all) == .enter)
        #expect(gate.enterWrite(two, isRunning: { $0 != one }) == .refuse(.deadWriter))
        // The system may reuse the dead thread's handle for a new thread.
        let successor = ThreadIdentity(handle: one.handle, kernelNumber: 99)
        #expect(gate.enterWrite(successor, isRunning: { $0 != one }) == .refuse(.deadWriter))
        #expect(gate.enterRead(thread: two) == .enter)
        gate.close()
        #expect(gate.leaveForClose(isRunning: { $0 != one }) == .wait)
        #expect(gate.leaveRead() == true)
        #expect(gate.leaveForClose(isRunning: { $0 != one }) == .enter)
    }

    @Test
    func `A closed or broken gate refuses newcomers and lets the others out`() {
        var gate = TransactionGateState()
        #expect(gate.enterRead(thread: one) == .enter)
        gate.markBroken()
        #expect(gate.enterRead(thread: one) == .refuse(.broken))
        gate.close()
        #expect(gate.enterRead(thread: one) == .refuse(.closed))
        #expect(gate.enterWrite(one, isRunning: all) == .refuse(.closed))
        #expect(gate.shut(thread: one, keepingWriter: false) == .refuse(.closed))
        #expect(gate.leaveForClose(isRunning: all) == .wait)
        #expect(gate.leaveRead() == true, "wakes the close")
        #expect(gate.leaveForClose(isRunning: all) == .enter)
    }
}
