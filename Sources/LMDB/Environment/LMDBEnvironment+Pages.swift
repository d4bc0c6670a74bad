internal import CLMDB
internal import Synchronization

/// The pages of snapshots.
extension LMDBEnvironment {
    /// Returns the pages of a snapshot.
    ///
    /// - Parameters:
    ///   - transactionID: the number of the transaction that made it.
    ///   - isSettled: whether no later commit than the next one can have begun.
    ///   - map: the map that the caller keeps; replaced if the file has outgrown it.
    func pages(
        of transactionID: Int, isSettled: Bool, in map: inout FileMap?
    ) throws(LMDBError) -> SnapshotPages.Reading {
        guard 0...DataFileMeta.largestTransactionID ~= transactionID else { throw damagedMeta("read") }
        var known = map
        if known == nil { known = fileMap.withLock { $0 } }
        if known == nil { known = try largerMap() }
        guard var current = known else { return .unsettled }
        let last = SnapshotPages.lastPage(transactionID, in: current, pageSize: pageSize)
        // The file grows before its meta page changes. A number that no file can have is found later.
        let needed = last < UInt64(Int.max / pageSize) ? (Int(last) + 1) * pageSize : 0
        var bytes = fileBytes.load(ordering: .relaxed)
        if needed > bytes || needed > current.byteCount { bytes = try lookUpFileBytes() }
        if min(needed, bytes) > current.byteCount { current = try largerMap() }
        map = current
        return SnapshotPages.read(
            transactionID, in: current, pageSize: pageSize, isSettled: isSettled, filePages: bytes / pageSize)
    }

    /// Returns the newest map if it contains the file, and a new one otherwise.
    private func largerMap() throws(LMDBError) -> FileMap {
        let bytes = try lookUpFileBytes()
        // The meta pages are read without a further check.
        guard bytes >= 2 * pageSize else {
            try requireWholeFiles("read")
            throw damagedMeta("read")
        }
        return try fileMap.withLock { (map) throws(LMDBError) in
            if let map, map.byteCount >= bytes { return map }
            let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
            guard let larger = FileMap(descriptor, fileBytes: bytes) else {
                throw LMDBError(code: SystemCalls.lastCode, operation: "mmap", path: path)
            }
            map = larger
            return larger
        }
    }

    private func lookUpFileBytes() throws(LMDBError) -> Int {
        guard let bytes = unsafe SystemCalls.byteCount(of: Calls.fileDescriptor(of: handle.pointer)) else {
            throw LMDBError(code: SystemCalls.lastCode, operation: "fstat", path: path)
        }
        fileBytes.store(bytes, ordering: .relaxed)
        return bytes
    }

    func damagedMeta(_ operation: StaticString) -> LMDBError {
        LMDBError(
            .damaged, operation: "\(operation)", path: path, systemCode: MDB_CORRUPTED,
            detail: "a meta page of data.mdb does not belong to the newest commit",
            remedy: "restore the store from a copy, or export the records that are still readable")
    }
}
