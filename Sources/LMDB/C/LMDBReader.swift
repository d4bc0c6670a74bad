/// One slot of the reader table that is in use, by this or another process.
package struct LMDBReader: Hashable, Sendable {
    package let processID: Int32
    package let threadID: UInt
    /// The snapshot that it holds; nil while its transaction waits in a pool.
    package let transactionID: Int?
    /// Whether it is no reader, but keeps the pages of the last checkpoint for the redo log.
    package let isPin: Bool

    package init(processID: Int32, threadID: UInt, transactionID: Int?, isPin: Bool = false) {
        self.processID = processID
        self.threadID = threadID
        self.transactionID = transactionID
        self.isPin = isPin
    }
}
