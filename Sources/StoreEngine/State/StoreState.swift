package import Foundation

/// The state that all transactions of an open store share at one version of its catalog. Immutable.
package final class StoreState: Sendable {
    /// The store's identity.
    package let identity: UUID
    /// The fixed databases.
    package let databases: StoreDatabases
    /// The limits of the store.
    package let limits: StoreLimits
    /// The record types.
    package let catalog: Catalog
    /// Notes the types and fields that requests read; nil if the scope does not need them.
    let reads: (any ReadNoting)?

    package convenience init(identity: UUID, databases: StoreDatabases, limits: StoreLimits, catalog: Catalog) {
        self.init(identity: identity, databases: databases, limits: limits, catalog: catalog, reads: nil)
    }

    private init(
        identity: UUID, databases: StoreDatabases, limits: StoreLimits, catalog: Catalog, reads: (any ReadNoting)?
    ) {
        self.identity = identity
        self.databases = databases
        self.limits = limits
        self.catalog = catalog
        self.reads = reads
    }

    /// Returns the same state for a scope whose requests are noted, or are not noted if `reads` is nil.
    package func noting(_ reads: (any ReadNoting)?) -> StoreState {
        StoreState(identity: identity, databases: databases, limits: limits, catalog: catalog, reads: reads)
    }
}
