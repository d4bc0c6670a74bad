import LMDB
import StoreEngine

/// What a scope has, and how it ends: the part of it that lasts until its tasks and its children have ended.
///
/// Tasks and children of a scope that nobody has any more end after it is gone, and tell this. It has its scope's children, and they
/// have it, until they have ended. A child that somebody else is closing, another thread or a caller of this one, goes on with its
/// parent's end when it is done with its own, so that no parent lets go what a child may use.
///
/// - `state` is protected by its mutex, under which no code of others runs; the rest is constant.
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

    /// The part with a type and a name, made where there is none; nil when the scope is closed.
    func part<T: AnyObject & Sendable>(_ name: String, _ make: () -> T) -> T? {
        let key = ScopePartKey(type: ObjectIdentifier(T.self), name: name)
        return state.withLock { $0.part(key, make) }
    }

    /// Tells that a task has thrown. Inlined, it would enlarge the frame that each waiting task holds.
    @inline(never)
    func taskFailed(_ error: any Error, _ file: StaticString, _ line: UInt) {
        registry.tell(
            OwnershipNotice(
                .taskFailed, "a task of \(path) ended with an error: \(ErrorText.of(error))",
                line: SourceLine(file, line), scope: path, error: error))
    }

    /// Waits until all is over.
    ///
    /// - Parameter isAlwaysCancellable: whether cancellation ends the waiting also once the scope is closing.
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

    /// Does what closing does at once, now or when the last child has.
    func childrenWereClosed() { if state.withLock({ $0.childrenWereClosed() }) { tearDown() } }

    private func childTornDown(_ number: UInt64) { if state.withLock({ $0.childTornDown(number) }) { tearDown() } }

    private func tearDown() {
        for task in state.withLock({ $0.runningTasks }) { task.cancel() }
        for handler in state.withLock({ $0.takeHandlers() }) { run(handler) }
        // Before the pins, so that objects go in the pins' order.
        withExtendedLifetime(state.withLock { $0.takeParts() }) {}
        registry.unpin(state.withLock { $0.takePins() }, of: path, number)
        end(state.withLock { $0.finishTeardown() })
        parent?.childTornDown(number)
    }

    private func run(_ handler: ScopeState.Handler) {
        do {
            try handler.run()
        } catch {
            registry.tell(
                OwnershipNotice(
                    .handlerFailed, "what runs as \(path) closes has failed: \(ErrorText.of(error))",
                    line: SourceLine(handler.line.file, handler.line.line), scope: path, error: error))
        }
    }

    /// Notes that a task has ended.
    func taskEnded(_ number: UInt64) { end(state.withLock { $0.taskEnded(number) }) }

    private func childEnded(_ number: UInt64) { end(state.withLock { $0.childEnded(number) }) }

    private func end(_ hasEnded: Bool) {
        guard hasEnded else { return }
        // Tasks of a parent that closes too may still have what it had, as the one that ends a tree of components.
        let closing = parent.flatMap { parent in parent.state.withLock { $0.phase == .open } ? nil : parent.number }
        registry.closed(number, with: closing.map { [$0] } ?? [])
        parent?.childEnded(number)
        // The last: who has waited finds the scope in no report.
        for waiter in state.withLock({ $0.endIsKnown() }) { waiter.resume() }
    }
}
