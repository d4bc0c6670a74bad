/// One taken slot of the reader table, of this or of another process.
package struct LMDBReader: Hashable, Sendable {
    package let processID: Int32
    package let threadID: UInt
    /// The snapshot it holds; nil while its transaction waits in a pool.
    package let transactionID: Int?
}
