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

    package init(identity: UUID, databases: StoreDatabases, limits: StoreLimits, catalog: Catalog) {
        self.identity = identity
        self.databases = databases
        self.limits = limits
        self.catalog = catalog
    }
}
