internal import Glibc

/// A file of a store that the system does not let this process use: which file, its owner, and the remedy.
///
/// A reader needs more than read access: LMDB lists it in `lock.mdb`, so it must be able to write to that file.
struct DeniedFile {
    private let path: String
    /// How this process has to use the file, as part of the error message.
    private let use: String
    /// The access that this requires.
    private let access: String
    /// Whether a program without this access can still open the store read-only.
    private var servesReaders = false

    /// Returns the error for an `open` of the store in a directory that failed with `EACCES` or `EPERM`.
    static func error(in directory: String, isReadOnly: Bool, operation: String, systemCode: Int32) -> LMDBError {
        guard let denied = find(in: directory, isReadOnly: isReadOnly) else {
            return LMDBError(code: systemCode, operation: operation, path: directory)
        }
        return LMDBError(
            .accessDenied, operation: operation, path: directory, systemCode: systemCode, detail: denied.detail,
            remedy: denied.remedy)
    }

    /// Returns an error of the system that names the file, if access to it is denied; otherwise the error as it is.
    static func naming(_ error: LMDBError, in directory: String, isReadOnly: Bool) -> LMDBError {
        guard error.code == .accessDenied, error.systemCode == EACCES || error.systemCode == EPERM else { return error }
        return self.error(
            in: directory, isReadOnly: isReadOnly, operation: error.operation, systemCode: error.systemCode)
    }

    private static func find(in directory: String, isReadOnly: Bool) -> DeniedFile? {
        let (data, lock) = (directory + "/data.mdb", directory + "/lock.mdb")
        if isDenied(directory, X_OK) { return DeniedFile(path: directory, use: "enter", access: "search") }
        let isIncomplete = [data, lock].contains { SystemCalls.node(at: $0) == nil }
        if isIncomplete, isDenied(directory, W_OK) {
            return DeniedFile(path: directory, use: "create files in", access: "write and search")
        }
        if SystemCalls.node(at: lock) != nil, isDenied(lock, R_OK | W_OK) {
            let use = isReadOnly ? "write to the file that lists readers," : "write to the lock file"
            return DeniedFile(path: lock, use: use, access: "read and write")
        }
        guard SystemCalls.node(at: data) != nil else { return nil }
        for file in [data] + RedoFiles.names.map({ directory + "/" + $0 }) where SystemCalls.node(at: file) != nil {
            if isDenied(file, R_OK) { return DeniedFile(path: file, use: "read", access: "read") }
            if !isReadOnly, isDenied(file, W_OK) {
                return DeniedFile(path: file, use: "write to", access: "read and write", servesReaders: true)
            }
        }
        return nil
    }

    private static func isDenied(_ path: String, _ mode: Int32) -> Bool {
        let byEffectiveUser: Int32 = 0x200
        return unsafe faccessat(AT_FDCWD, path, mode, byEffectiveUser) != 0
    }

    private var detail: String {
        let owner = SystemCalls.access(of: path).map { " (\($0))" } ?? ""
        return "user \(geteuid()) may not \(use) \(path)\(owner)"
    }

    private var remedy: String {
        let access = "give user \(geteuid()) \(access) access to it with chown, chgrp or chmod"
        return servesReaders ? "\(access), or open the store read-only" : access
    }
}
