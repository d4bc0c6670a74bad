/// The size of an environment.
package struct LMDBInfo: Hashable, Sendable {
    package let mapSize: Int
    package let lastPage: Int
    package let lastTransactionID: Int
    package let maximumReaders: Int
    /// Slots of the reader table that have been used, whether or not they still are.
    package let usedReaders: Int
    package let pageSize: Int
    package let fileBytes: Int
}
