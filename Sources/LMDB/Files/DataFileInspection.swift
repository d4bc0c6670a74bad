internal import Glibc

/// Inspects `data.mdb` before LMDB opens it. Reads the file instead of mapping it.
///
/// LMDB checks only magic and version. It opens a truncated file, and then an access to the first page behind the end raises
/// SIGBUS. A library cannot start a child process to test for that.
struct DataFileInspection {
    var newest: DataFileMeta
    var fileBytes: Int

    /// Returns nil for a store that does not exist yet. Throws for a file that cannot be, or must not be, opened.
    static func inspect(storeAt path: String) throws(LMDBError) -> DataFileInspection? {
        guard let descriptor = SystemCalls.openToRead(path + "/data.mdb") else {
            let code = SystemCalls.lastCode
            if code == ENOENT { return nil }
            guard code == EACCES || code == EPERM else {
                throw LMDBError(code: code, operation: "open", path: path)
            }
            throw DeniedFile.error(in: path, isReadOnly: true, operation: "open", systemCode: code)
        }
        defer { SystemCalls.close(descriptor) }
        return try inspect(descriptor, path: path)
    }

    static func inspect(_ descriptor: Int32, path: String) throws(LMDBError) -> DataFileInspection? {
        do throws(LMDBError) {
            return try examine(descriptor, path: path)
        } catch {
            throw UnfinishedDataFile.isOne(descriptor) ? UnfinishedDataFile.error(path) : error
        }
    }

    private static func examine(_ descriptor: Int32, path: String) throws(LMDBError) -> DataFileInspection? {
        let first = try page(descriptor, at: 0, path: path)
        if first.isEmpty { return nil }
        let meta = try meta(in: first, isFirst: true, path: path)
        let second = try page(descriptor, at: meta.pageSize, path: path)
        guard second.count >= DataFileMeta.byteCount else {
            throw truncated(needing: 2 * meta.pageSize, having: meta.pageSize + second.count, path: path)
        }
        let other = try Self.meta(in: second, isFirst: false, path: path)
        let newest = other.transactionID > meta.transactionID ? other : meta
        // Read after the meta pages: a file that another process writes only grows, and it grows before its meta page changes.
        guard let fileBytes = SystemCalls.byteCount(of: descriptor) else {
            throw LMDBError(
                .notAStore, operation: "open", path: path, detail: "data.mdb is not a regular file")
        }
        guard let needed = newest.neededByteCount else {
            throw damaged("its last page has the impossible number \(newest.lastPage)", path: path)
        }
        let file = DataFilePages(descriptor: descriptor, pageSize: newest.pageSize, byteCount: fileBytes)
        guard fileBytes >= needed || FreePages.cover(lastPage: newest.lastPage, root: newest.freeRoot, of: file) else {
            throw truncated(needing: needed, having: fileBytes, path: path)
        }
        return DataFileInspection(newest: newest, fileBytes: fileBytes)
    }

    /// Reads the beginnings of both meta pages.
    ///
    /// - Parameter path: the directory.
    static func metaPages(
        _ descriptor: Int32, pageSize: Int, path: String
    ) throws(LMDBError) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        for index in [0, 1] {
            let bytes = try page(descriptor, at: index * pageSize, path: path)
            guard bytes.count == DataFileMeta.byteCount else {
                throw truncated(needing: 2 * pageSize, having: index * pageSize + bytes.count, path: path)
            }
            pages.append(bytes)
        }
        return pages
    }

    private static func page(_ descriptor: Int32, at offset: Int, path: String) throws(LMDBError) -> [UInt8] {
        guard let bytes = SystemCalls.read(descriptor, at: offset, count: DataFileMeta.byteCount) else {
            let code = SystemCalls.lastCode
            guard code != EISDIR else {
                throw LMDBError(.notAStore, operation: "read", path: path, detail: "data.mdb is a directory")
            }
            throw LMDBError(code: code, operation: "read", path: path)
        }
        return bytes
    }

    private static func meta(in bytes: [UInt8], isFirst: Bool, path: String) throws(LMDBError) -> DataFileMeta {
        switch DataFileMeta.read(bytes) {
        case .meta(let meta): return meta
        case .otherVersion(let version):
            throw LMDBError(
                .newerFormat, operation: "open", path: path,
                detail: "data.mdb has LMDB's data version \(version), and liblmdb \(LMDBLibrary.running) reads version "
                    + "\(DataFileMeta.version)",
                remedy: "export the records with the program that wrote it, and import them here")
        case .otherByteOrder:
            throw LMDBError(
                .notAStore, operation: "open", path: path,
                detail: "data.mdb was written by a machine with the other byte order",
                remedy: "export the records on that machine, and import them here")
        case .notMeta where isFirst:
            throw LMDBError(
                .notAStore, operation: "open", path: path, detail: "data.mdb is not an LMDB data file",
                remedy: "check the path: an LMDB data file starts with the magic number 0xBEEFC0DE")
        case .notMeta: throw damaged("its second page is not a meta page", path: path)
        case .damaged(let what): throw damaged(what, path: path)
        }
    }

    private static func damaged(_ what: String, path: String) -> LMDBError {
        LMDBError(
            .damaged, operation: "open", path: path, detail: "data.mdb is damaged: \(what)",
            remedy: "restore the store from a copy")
    }

    static func truncated(needing needed: Int, having: Int, path: String) -> LMDBError {
        LMDBError(
            .truncated, operation: "open", path: path,
            detail:
                "data.mdb has \(having) bytes, but its last used page ends at byte \(needed): the end of the file is missing",
            remedy: "restore the store from a copy: reading the missing pages would crash this process")
    }
}
