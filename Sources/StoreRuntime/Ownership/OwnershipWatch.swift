import LMDB

/// The registries that are created while a task watches. A test examines all of them at its end.
///
/// - `registries` is protected by its mutex. The watch keeps the registries, so that their contents are still known at the end.
package final class OwnershipWatch: Sendable {
    /// The watch of the current task.
    @TaskLocal package static var current: OwnershipWatch?

    private let registries = HandoverMutex<[OwnershipRegistry]>([])

    package init() {}

    func add(_ registry: OwnershipRegistry) { registries.withLock { $0.append(registry) } }

    /// The registries that were created so far.
    package var all: [OwnershipRegistry] { registries.withLock { $0 } }
}
