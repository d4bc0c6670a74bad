/// The size of an environment.
package struct LMDBInfo: Hashable, Sendable {
    package let mapSize: Int
    package let lastPage: Int
    package let lastTransactionID: Int
    package let maximumReaders: Int
    /// Slots of the reader table that are or were in use.
    package let usedReaders: Int
    package let pageSize: Int
    package let fileBytes: Int
}
