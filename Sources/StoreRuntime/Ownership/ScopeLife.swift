import LMDB

/// What a scope has, and how it ends: the part of it that lasts until its tasks and its children have ended.
///
/// Tasks and children of a scope that nobody has any more end after it is gone, and tell this. It has its scope's children, and they
/// have it, until they have ended.
///
/// - `state` is protected by its mutex, under which no code of others runs; the rest is constant.
final class ScopeLife: Sendable {
    let number: UInt64
    let registry: OwnershipRegistry
    private let parent: ScopeLife?
    let state = HandoverMutex(ScopeState())

    init(number: UInt64, in parent: ScopeLife?, _ registry: OwnershipRegistry) {
        self.number = number
        self.parent = parent
        self.registry = registry
    }

    /// Notes that all is done that closing does at once.
    func finishTeardown() { end(state.withLock { $0.finishTeardown() }) }

    /// Notes that a task has ended.
    func taskEnded(_ number: UInt64) { end(state.withLock { $0.taskEnded(number) }) }

    private func childEnded(_ number: UInt64) { end(state.withLock { $0.childEnded(number) }) }

    private func end(_ hasEnded: Bool) {
        guard hasEnded else { return }
        registry.closed(number)
        parent?.childEnded(number)
        // The last: who has waited finds the scope in no report.
        for waiter in state.withLock({ $0.endIsKnown() }) { waiter.resume() }
    }
}
