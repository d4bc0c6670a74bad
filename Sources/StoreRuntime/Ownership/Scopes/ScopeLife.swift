import LMDB
import StoreEngine

/// The contents of a scope and the course of its end. This part of the scope lasts until its tasks and children have ended.
///
/// The tasks and children of a scope may end after the last reference to the scope is gone, and notify this object. It keeps the
/// scope's children, and they keep it, until they have ended.
///
/// A child may already be closing when its parent closes: on another thread, or further up this thread's call stack. Such a child
/// continues the parent's close when its own is done, so that no parent releases an object that a child may use.
///
/// - `state` is protected by its mutex, under which no code of the program runs; the rest is constant.
final class ScopeLife: Sendable {
    let number: UInt64
    let registry: OwnershipRegistry
    private let path: String
    let parent: ScopeLife?
    let state = HandoverMutex(ScopeState())

    init(_ path: String, number: UInt64, in parent: ScopeLife?, _ registry: OwnershipRegistry) {
        self.path = path
        self.number = number
        self.parent = parent
        self.registry = registry
    }

    /// Returns the part with a type and a name, and creates it if there is none; nil when the scope is closed.
    func part<T: AnyObject & Sendable>(_ name: String, _ make: () -> T) -> T? {
        let key = ScopePartKey(type: ObjectIdentifier(T.self), name: name)
        return state.withLock { $0.part(key, make) }
    }

    /// Gives a notice that a task has thrown. Inlining it would enlarge the frame that each waiting task holds.
    @inline(never)
    func taskFailed(_ error: any Error, _ file: StaticString, _ line: UInt) {
        registry.notify(
            OwnershipNotice(
                .taskFailed, "a task of \(path) ended with an error: \(ErrorText.of(error))",
                line: SourceLine(file, line), scope: path, error: error))
    }

    /// Waits until the scope has ended.
    ///
    /// - Parameter isAlwaysCancellable: whether cancellation ends the wait even while the scope is closing.
    func ended(isAlwaysCancellable: Bool) async {
        let number = state.withLock { $0.beginWait() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if state.withLock({ $0.wait(number, continuation) }) { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.cancelWait(number, whileClosing: isAlwaysCancellable) }?.resume()
        }
    }

    /// Runs the immediate part of closing, now or when the last child has finished its own.
    func childrenWereClosed() { if state.withLock({ $0.childrenWereClosed() }) { tearDown() } }

    private func childTornDown(_ number: UInt64) { if state.withLock({ $0.childTornDown(number) }) { tearDown() } }

    private func tearDown() {
        for task in state.withLock({ $0.runningTasks }) { task.cancel() }
        for handler in state.withLock({ $0.takeHandlers() }) { run(handler) }
        // Parts are released before the pins, so that objects go in the order of the pins.
        withExtendedLifetime(state.withLock { $0.takeParts() }) {}
        registry.unpin(state.withLock { $0.takePins() }, of: path, number)
        end(state.withLock { $0.finishTeardown() })
        parent?.childTornDown(number)
    }

    private func run(_ handler: ScopeState.Handler) {
        do {
            try handler.run()
        } catch {
            registry.notify(
                OwnershipNotice(
                    .handlerFailed, "a close handler of \(path) failed: \(ErrorText.of(error))",
                    line: SourceLine(handler.line.file, handler.line.line), scope: path, error: error))
        }
    }

    /// Notes that a task has ended.
    func taskEnded(_ number: UInt64) { end(state.withLock { $0.taskEnded(number) }) }

    private func childEnded(_ number: UInt64) { end(state.withLock { $0.childEnded(number) }) }

    private func end(_ hasEnded: Bool) {
        guard hasEnded else { return }
        // The tasks of a parent that closes too may still have the scope's objects, such as the task that ends a tree of
        // components.
        let closing = parent.flatMap { parent in parent.state.withLock { $0.phase == .open } ? nil : parent.number }
        registry.closed(number, with: closing.map { [$0] } ?? [])
        parent?.childEnded(number)
        // Resumes waiters last, so that a caller that waited finds the scope in no report.
        for waiter in state.withLock({ $0.endIsKnown() }) { waiter.resume() }
    }
}
