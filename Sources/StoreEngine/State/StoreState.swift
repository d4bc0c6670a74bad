package import Foundation

/// What all transactions of an open store share at one version of its catalog. Immutable.
package final class StoreState: Sendable {
    /// The store's identity.
    package let identity: UUID
    /// The fixed databases.
    package let databases: StoreDatabases
    /// What the store refuses to take.
    package let limits: StoreLimits
    /// The record types.
    package let catalog: Catalog
    /// Notes what requests read; nil where nobody wants to know.
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

    /// The same for a scope whose requests are noted, or, with nil, are not.
    package func noting(_ reads: (any ReadNoting)?) -> StoreState {
        StoreState(identity: identity, databases: databases, limits: limits, catalog: catalog, reads: reads)
    }
}
