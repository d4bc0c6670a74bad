import LMDB

/// The registries that are made while a task watches, for tests that look at all of them at their end.
///
/// - `registries` is protected by its mutex. It keeps them, so that what they know of is still known at the end.
package final class OwnershipWatch: Sendable {
    /// The watch of the current task.
    @TaskLocal package static var current: OwnershipWatch?

    private let registries = HandoverMutex<[OwnershipRegistry]>([])

    package init() {}

    func add(_ registry: OwnershipRegistry) { registries.withLock { $0.append(registry) } }

    /// Those that were made so far.
    package var all: [OwnershipRegistry] { registries.withLock { $0 } }
}
