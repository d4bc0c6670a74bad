internal import CLMDB
internal import Glibc

/// Operations on the files and directories of stores. They never follow a symbolic link to a file.
///
/// Operations that change a disk pass through here, so that tests can make each of them fail (``CallFaults``).
package enum StoreFile {
    /// The bytes that a copy reads at a time.
    private static let chunkByteCount = 1 << 20

    /// Creates a directory; false (and `errno`) on failure.
    package static func makeDirectory(_ path: String, mode: UInt32) -> Bool {
        if CallFaults.fails(.makeDirectory, path: path) { return false }
        return unsafe mkdir(path, mode) == 0
    }

    /// Flushes a file's content to the disk; false (and `errno`) on failure.
    package static func sync(_ path: String) -> Bool {
        if CallFaults.fails(.syncFile, path: path) { return false }
        return SystemCalls.sync(path, isDirectory: false)
    }

    /// Flushes an open file's content, and of its metadata only what a reader needs; false (and `errno`) on failure.
    static func syncData(_ descriptor: Int32, path: String) -> Bool {
        if CallFaults.fails(.syncFile, path: path) { return false }
        return fdatasync(descriptor) == 0
    }

    /// Flushes the names in a directory to the disk; false (and `errno`) on failure.
    package static func syncDirectory(_ path: String) -> Bool {
        if CallFaults.fails(.syncDirectory, path: path) { return false }
        return SystemCalls.sync(path, isDirectory: true)
    }

    /// Renames a file, and fails with `EEXIST` (in `errno`) if the new name exists. The file has one name at any moment, except
    /// on file systems that cannot rename so.
    package static func move(_ old: String, toNew new: String) -> Bool {
        if CallFaults.fails(.moveFile, path: new) { return false }
        if SystemCalls.renameToNew(old, new) { return true }
        guard errno == EINVAL || errno == ENOSYS else { return false }
        return unsafe link(old, new) == 0 && unlink(old) == 0
    }

    /// Exchanges two files; false (and `errno`) on failure. The second name refers to one of the files at any moment.
    package static func exchange(_ first: String, _ second: String) -> Bool {
        if CallFaults.fails(.moveFile, path: second) { return false }
        if SystemCalls.exchange(first, second) { return true }
        // Some file systems cannot exchange names in one step.
        guard errno == EINVAL || errno == ENOSYS else { return false }
        let aside = first + ".aside"
        return unsafe link(second, aside) == 0 && rename(first, second) == 0 && rename(aside, first) == 0
    }

    /// Opens a file for reading, or for writing too; nil if there is none.
    static func open(_ path: String, isReadOnly: Bool) throws(LMDBError) -> Int32? {
        let flags = (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = unsafe Glibc.open(path, flags)
        if descriptor >= 0 { return descriptor }
        if errno == ENOENT { return nil }
        throw LMDBError(code: errno, operation: "open", path: path)
    }

    /// Creates a file and opens it for reading and writing. It gets the owner and the mode of an open file, as far as this
    /// process may give files away.
    static func create(_ path: String, like model: Int32) throws(LMDBError) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: path) }
        var status = stat()
        if unsafe fstat(model, &status) == 0 { giveAccess(of: status, to: descriptor) }
        return descriptor
    }

    /// Creates a file and opens it for reading and writing. It gets the owner and the mode of the file at another path, as far as
    /// this process may give files away; the mode 0600 if there is no such file.
    package static func create(_ path: String, likeFileAt model: String) throws(LMDBError) -> Int32 {
        let descriptor = try create(path, like: -1)
        giveAccess(ofFileAt: model, to: descriptor)
        return descriptor
    }

    /// Creates a file without a name and opens it for reading and writing. It gets the owner and the mode of the file at another
    /// path. Until ``name(_:_:)``, it ends with its process, however that ends.
    ///
    /// - Returns: nil where the file system has no files without a name.
    package static func createUnnamed(in directory: String, likeFileAt model: String) -> Int32? {
        // `O_TMPFILE`, which Swift does not import.
        let flags = 0o20_000_000 | O_DIRECTORY
        let descriptor = unsafe Glibc.open(directory.isEmpty ? "." : directory, flags | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard unsafe access(processName(of: descriptor), F_OK) == 0 else {
            SystemCalls.close(descriptor)
            return nil
        }
        giveAccess(ofFileAt: model, to: descriptor)
        return descriptor
    }

    /// Gives a file without a name its name; false (and `errno`) on failure, with `EEXIST` if the name exists.
    package static func name(_ descriptor: Int32, _ path: String) -> Bool {
        if CallFaults.fails(.moveFile, path: path) { return false }
        return unsafe linkat(AT_FDCWD, processName(of: descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }

    private static func processName(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Gives a file that LMDB has created the owner and the mode of an open file.
    static func giveAccess(of model: Int32, toFileAt path: String) throws(LMDBError) {
        guard let descriptor = try open(path, isReadOnly: true) else { return }
        defer { SystemCalls.close(descriptor) }
        var status = stat()
        if unsafe fstat(model, &status) == 0 { giveAccess(of: status, to: descriptor) }
    }

    private static func giveAccess(ofFileAt model: String, to descriptor: Int32) {
        var status = stat()
        if unsafe stat(model, &status) == 0 { giveAccess(of: status, to: descriptor) }
    }

    private static func giveAccess(of status: stat, to descriptor: Int32) {
        if geteuid() == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
        _ = fchmod(descriptor, status.st_mode & 0o7777)
    }

    /// Writes the beginning of an open file again as it is. After a failed sync the system takes its pages for written, and later
    /// syncs write only pages that have changed since.
    ///
    /// - Complexity: O(`byteCount`)
    static func rewrite(_ descriptor: Int32, byteCount: Int, path: String) throws(LMDBError) {
        var offset = 0
        while offset < byteCount {
            let count = min(chunkByteCount, byteCount - offset)
            guard let bytes = SystemCalls.read(descriptor, at: offset, count: count), !bytes.isEmpty,
                write(descriptor, bytes, at: offset, path: path)
            else { throw LMDBError(code: errno, operation: "pwrite", path: path) }
            offset += bytes.count
        }
    }

    /// Writes bytes at an offset in an open file; false (and `errno`) on failure.
    static func write(_ descriptor: Int32, _ bytes: RawSpan, at offset: Int, path: String) -> Bool {
        if CallFaults.fails(.writeFile, path: path) { return false }
        return SystemCalls.write(descriptor, bytes, at: offset)
    }

    /// Writes bytes at an offset in an open file; false (and `errno`) on failure.
    static func write(_ descriptor: Int32, _ bytes: [UInt8], at offset: Int, path: String) -> Bool {
        unsafe write(descriptor, bytes.span.bytes, at: offset, path: path)
    }

    /// Copies a regular file to a new one, byte by byte.
    ///
    /// - Throws: ``LMDBError``: `notAStore` if the source is no regular file, `linkedFile` if it is a symbolic link; the system's
    ///   errors, `diskFull` among them. It leaves no new file then.
    /// - Complexity: O(bytes)
    package static func copy(_ source: String, to target: String) throws(LMDBError) {
        var copy = try beginCopy(source, to: target)
        while try copy.advance() {}
    }

    /// Begins a copy of a regular file that no program changes.
    ///
    /// - Throws: ``LMDBError``: as ``copy(_:to:)``.
    package static func beginCopy(_ source: String, to target: String) throws(LMDBError) -> FileCopy {
        let reading = unsafe Glibc.open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard reading >= 0 else {
            if errno == ELOOP {
                throw LMDBError(
                    .linkedFile, operation: "open", path: source, detail: "the file is a symbolic link",
                    remedy: "name the directory that holds the file itself")
            }
            throw LMDBError(code: errno, operation: "open", path: source)
        }
        guard let byteCount = SystemCalls.byteCount(of: reading) else {
            close(reading)
            throw LMDBError(
                .notAStore, operation: "open", path: source, detail: "it is not a regular file",
                remedy: "name the directory of a store")
        }
        return try FileCopy(
            reading, closing: true, source, to: target, like: -1, 0..<byteCount, length: byteCount)
    }
}
