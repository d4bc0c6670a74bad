internal import CLMDB

/// A read transaction that keeps the pages of a checkpoint: LMDB does not use a freed page again while a reader may need it.
///
/// Each process that writes holds its own, on the checkpoint or an older commit. A slot of another process would not do, because
/// it goes when that process ends.
///
/// `@unchecked Sendable`: with `MDB_NOTLS` any thread may end the transaction, and only the holder of the writer seat does.
@safe
struct RedoPin: @unchecked Sendable {
    /// The commit that it holds.
    let transaction: UInt64
    private let handle: OpaquePointer
    private let table: ReaderTable?
    /// Its slot; nil if it could not be found, so that it counts as a reader.
    private let slot: UInt?

    /// Takes a pin on the newest commit. The caller holds LMDB's write lock, or nothing says which commit that is.
    init(_ environment: LMDBEnvironment) throws(LMDBError) {
        let pointer = unsafe environment.handle.pointer
        let table = environment.readerTable
        var own = table?.slotsOfThisThread ?? []
        var begun: OpaquePointer?
        var code = unsafe Calls.begin(pointer, parent: nil, isReadOnly: true, into: &begun)
        var cleared: Int32 = 0
        if code == MDB_READERS_FULL, unsafe Calls.checkReaders(pointer, cleared: &cleared) == 0, cleared > 0 {
            own = table?.slotsOfThisThread ?? []
            code = unsafe Calls.begin(pointer, parent: nil, isReadOnly: true, into: &begun)
        }
        guard code == 0, let begun = unsafe begun else {
            throw LMDBError(code: code, operation: "mdb_txn_begin", path: environment.path)
        }
        unsafe handle = begun
        transaction = UInt64(unsafe Calls.identifier(of: begun))
        self.table = table
        slot = table?.slotsOfThisThread.subtracting(own).first
        if let slot { table?.mark(slot, isPin: true) }
    }

    func end() {
        if let slot { table?.mark(slot, isPin: false) }
        unsafe Calls.abort(handle)
    }
}
