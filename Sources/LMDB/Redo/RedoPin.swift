internal import CLMDB

/// A read transaction whose slot keeps the pages of the last checkpoint: LMDB does not use a freed page again while a slot may
/// need it.
///
/// Each process that writes has its own, because the slot of another process goes when that process ends. The process that makes
/// a checkpoint moves the pins of all processes to it, so a stopped process keeps no more pages than the others.
///
/// `@unchecked Sendable`: with `MDB_NOTLS` any thread may end the transaction, and only the holder of the writer seat does.
@safe
struct RedoPin: @unchecked Sendable {
    private let handle: OpaquePointer
    private let table: ReaderTable
    private let slot: Int

    /// Takes a pin. The caller holds LMDB's write lock, and the pages of the commit have been kept so far.
    ///
    /// - Parameter transaction: the commit to keep: that of the last checkpoint, or a newer one.
    init(on transaction: UInt64, _ environment: LMDBEnvironment) throws(LMDBError) {
        let pointer = unsafe environment.handle.pointer
        guard let table = environment.readerTable else { throw Self.missingSlot(environment) }
        var own = table.slotsOfThisThread
        var begun: OpaquePointer?
        var code = unsafe Calls.begin(pointer, parent: nil, isReadOnly: true, into: &begun)
        var cleared: Int32 = 0
        if code == MDB_READERS_FULL, unsafe Calls.checkReaders(pointer, cleared: &cleared) == 0, cleared > 0 {
            own = table.slotsOfThisThread
            code = unsafe Calls.begin(pointer, parent: nil, isReadOnly: true, into: &begun)
        }
        guard code == 0, let begun = unsafe begun else {
            throw LMDBError(code: code, operation: "mdb_txn_begin", path: environment.path)
        }
        guard let slot = table.slotsOfThisThread.subtracting(own).first else {
            unsafe Calls.abort(begun)
            throw Self.missingSlot(environment)
        }
        table.pin(slot, on: transaction)
        unsafe handle = begun
        self.table = table
        self.slot = slot
    }

    private static func missingSlot(_ environment: LMDBEnvironment) -> LMDBError {
        LMDBEnvironment.overwrittenLockFile(of: environment.path, "mdb_txn_begin")
    }

    /// Whether the slot still keeps pages. Another process that takes this one for dead clears it.
    var holds: Bool { table.isOwnPin(slot) }

    /// Ends the pin.
    func end() {
        // If another process has cleared the slot, it may belong to a reader now, which the end of the transaction would remove.
        guard holds else { return }
        table.unpin(slot)
        unsafe Calls.abort(handle)
    }
}
