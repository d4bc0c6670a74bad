internal import CLMDB

/// Copies of a store in use.
///
/// LMDB's own copy of all pages holds the writer lock while it reads the meta pages. It therefore waits for a writer, also for
/// one that is stopped, and a copy within a write transaction waits for itself. These copies take no lock: a read transaction
/// keeps the pages of its commit from reuse.
extension LMDBEnvironment {
    /// Begins a copy of the newest commit, with its free pages, in an empty directory. The copy has the same transaction number.
    ///
    /// No writer waits for the copy, and the copy waits for no writer. Until it ends, writers cannot reuse the pages that they
    /// free, and this process can neither enlarge the map nor drop a database.
    ///
    /// - Parameter directory: the copy is its `data.mdb`, which the caller syncs.
    /// - Throws: ``LMDBError``: as beginning a read transaction; `truncated` if the file lacks pages of the commit; the system's
    ///   errors. Nothing is left in the directory then.
    package func beginCopy(to directory: String) throws(LMDBError) -> FileCopy {
        let reader = try beginRead()
        let pages = reader.pages
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        let meta = DataFileMeta.bytes(of: pages)
        guard case .meta(let read) = DataFileMeta.read(meta), let needed = read.neededByteCount, read.lastPage > 0
        else {
            throw damagedMeta("mdb_txn_begin")
        }
        guard let fileBytes = SystemCalls.byteCount(of: descriptor) else {
            throw LMDBError(code: SystemCalls.lastCode, operation: "fstat", path: path)
        }
        let file = DataFilePages(descriptor: descriptor, pageSize: pageSize, byteCount: fileBytes)
        guard fileBytes >= needed || FreePages.cover(lastPage: read.lastPage, root: read.freeRoot, of: file) else {
            throw DataFileInspection.truncated(needing: needed, having: fileBytes, path: path)
        }
        let end = min(needed, Int(file.pageCount) * pageSize)
        let copy = try FileCopy(
            descriptor, closing: false, path + "/data.mdb", to: directory + "/data.mdb", like: descriptor,
            min(2 * pageSize, end)..<end, length: needed, reader: reader)
        // Both meta pages describe the same tree: that of the commit before may have lost pages already.
        let newest = read.transactionID
        for (page, transaction) in [(newest & 1, newest), (newest & 1 ^ 1, newest - min(newest, 1))] {
            let bytes = DataFileMeta.renumbered(meta, page: Int(page), transaction: transaction)
            try copy.write(bytes, at: Int(page) * pageSize)
        }
        return copy
    }

    /// Copies the newest commit to an empty directory without its free pages, and restarts transaction numbers. LMDB then reads
    /// all pages, which are checked before. It takes no lock of a writer either.
    package func compact(to directory: String) throws(LMDBError) {
        let transaction = try beginRead()
        try transaction.snapshot.requireSoundPages()
        try whileOpen("mdb_env_copy2") { () throws(LMDBError) in
            let code = unsafe Calls.compact(handle.pointer, to: directory)
            guard code == 0 else { throw failure(code, "mdb_env_copy2") }
        }
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        try StoreFile.giveAccess(of: descriptor, toFileAt: directory + "/data.mdb")
    }
}
