/// The part of an environment that its redo log needs. The caller holds LMDB's write lock where nothing else is
/// said.
protocol LoggedFile: AnyObject, Sendable {
    var path: String { get }
    var pageSize: Int { get }

    /// Returns the first bytes of the newest commit's meta page.
    func newestMeta() throws(LMDBError) -> [UInt8]
    /// The length of the data file up to its last used page, in bytes.
    func usedByteCount() throws(LMDBError) -> Int
    /// Returns how many pages later commits than this one have freed.
    func pageCount(freedAfter transaction: UInt64) throws(LMDBError) -> Int
    /// Reads and writes what the data file says of its log.
    func readStamp() throws(LMDBError) -> DataFileStamp.Reading
    func write(_ stamp: DataFileStamp) throws(LMDBError)

    /// Flushes the data file to the disk; returns LMDB's code. Needs no lock.
    func sync() -> Int32

    /// The commit of the oldest slot of any process; nil if there is none.
    func oldestSnapshot() throws(LMDBError) -> UInt64?
    func pin(on transaction: UInt64) throws(LMDBError) -> RedoPin
    func movePins(to transaction: UInt64)
    /// Whether a running process other than this one has a pin. Needs no lock.
    var isPinnedElsewhere: Bool { get }

    /// Runs `body` with the newest commit while this thread holds LMDB's write lock, and makes no transaction.
    func whileHoldingWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError)
    /// The same, but does nothing if a thread of any process holds the lock.
    func whileHoldingFreeWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError)
}
