internal import Glibc

/// The files of a store, read without a change.
struct ExaminedFiles {
    private(set) var situation: RecoverySituation
    /// The newest checkpoint; nil if there is none.
    private(set) var record: CheckpointRecord?
    /// The entries of the log, if they were read and the store is open.
    private(set) var entries: RedoEntries?
    /// The first bytes of the data file's meta pages; empty if it has none.
    private(set) var metas: [[UInt8]] = []

    /// Reads the files.
    ///
    /// - Parameter readsLog: whether the entries of an open log are read too.
    /// - Throws: ``LMDBError`` of the system, and for side files without a data file.
    init(in path: String, readsLog: Bool) throws(LMDBError) {
        situation = RecoverySituation(stamp: .none, side: .missing, log: .missing, newest: 0)
        let side = try CheckpointFile(in: path, isReadOnly: true)
        defer { side?.close() }
        guard let data = try StoreFile.open(path + "/data.mdb", isReadOnly: true) else {
            guard side == nil else { throw RedoFiles.missingDataFile(path) }
            return
        }
        defer { SystemCalls.close(data) }
        metas = Self.metas(data, path)
        // Another file has no stamp.
        if !metas.isEmpty { situation.stamp = try DataFileStamp.read(data, path: path) }
        guard side != nil || situation.stamp != .none else { return }
        var other = CheckpointFile.Slot.record(nil)
        if let side {
            (record, other) = try side.records()
            if record == nil {
                situation.side = try side.isEarlierClosed().map { .earlier(isClosed: $0) } ?? .unreadable
            }
            if !side.isWhole { situation.side = .unreadable }
        }
        situation.newest = metas.compactMap { DataFileMeta.read($0).meta?.transactionID }.max() ?? 0
        if let record, side?.isWhole == true {
            let stamp = situation.stamp.stamp
            situation.side = .record(
                isClosed: record.isClosed,
                isOfDataFile: stamp?.done == record.identity || stamp?.begun == record.identity,
                transaction: record.transaction)
            if let stamp, Self.mayLackNewest(record, other, stamp) { situation.side = .unreadable }
        }
        try readLog(path, readsLog)
    }

    /// Returns whether the side file may have had a newer record than the newest valid one, in a slot that has none.
    private static func mayLackNewest(
        _ record: CheckpointRecord, _ other: CheckpointFile.Slot, _ stamp: DataFileStamp
    ) -> Bool {
        let isLast = stamp.done == record.identity && stamp.begun == record.identity
        switch other {
        case .record: return false
        case .blank: return !isLast
        // The record of the checkpoint that was being made, or a record that is damaged in both copies.
        case .torn: return stamp.done != record.identity
        }
    }

    private static func metas(_ data: Int32, _ path: String) -> [[UInt8]] {
        let first = SystemCalls.read(data, at: 0, count: DataFileMeta.byteCount) ?? []
        guard let pageSize = DataFileMeta.read(first).meta?.pageSize else { return [] }
        return (try? DataFileInspection.metaPages(data, pageSize: pageSize, path: path)) ?? []
    }

    private mutating func readLog(_ path: String, _ readsEntries: Bool) throws(LMDBError) {
        guard let log = try RedoLogFile(in: path, isReadOnly: true) else { return }
        defer { log.close() }
        let byteCount = log.byteCount ?? 0
        // The file never shrinks: a log that ends before the checkpoint's own end was cut.
        let needed = record.map { $0.isClosed ? 0 : $0.tail.offset } ?? 0
        guard max(RedoLogFile.smallestByteCount, needed)...RedoLimits.greatestLogByteCount ~= byteCount else {
            situation.log = .unreadable(byteCount: byteCount)
            return
        }
        guard let record, readsEntries, !record.isClosed else {
            let last = record?.transaction ?? 0
            situation.log = .entries(last: last, isInDataFile: false, relaxed: false)
            return
        }
        let found = RedoEntries(after: record, in: try log.content())
        guard found.isOfCheckpoint else {
            situation.log = .foreign
            return
        }
        entries = found
        situation.log =
            found.isDamaged
            ? .damaged(at: found.tail.offset)
            : .entries(
                last: found.tail.transaction, isInDataFile: found.tail.isInDataFile,
                relaxed: found.tail.relaxedSince != 0)
    }

    /// The newest of the meta pages.
    var newestMeta: [UInt8]? {
        metas.first { DataFileMeta.read($0).meta?.transactionID == situation.newest }
    }
}
