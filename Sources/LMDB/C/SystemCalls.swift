internal import CLMDB
internal import Glibc

/// The system calls that this layer makes besides LMDB, with Swift interfaces.
enum SystemCalls {
    /// The calling thread's handle. Cheap to read, and unique among running threads.
    @inline(__always)
    static var currentThread: UInt {
        UInt(pthread_self())
    }

    static var currentThreadIdentity: ThreadIdentity {
        ThreadIdentity(handle: currentThread, kernelNumber: clmdb_thread_number())
    }

    /// Returns whether a thread of this process is still running.
    static func isRunning(_ thread: ThreadIdentity) -> Bool {
        clmdb_thread_runs(thread.kernelNumber) != 0
    }

    /// The code of the last failed call.
    static var lastCode: Int32 { errno }

    /// Returns the value of an environment variable.
    static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

    // MARK: Files

    /// Returns a file's device and inode; nil if the file does not exist.
    static func node(at path: String) -> FileNode? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileNode(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Returns an open file's device and inode.
    static func node(of descriptor: Int32) -> FileNode? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return FileNode(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Returns the length of the file at a path; nil if the system does not report it.
    static func byteCount(at path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Returns a file's owner, group and mode as text for people; nil if the system does not report them.
    static func access(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        return "owner \(status.st_uid), group \(status.st_gid), mode \(mode)"
    }

    /// Returns a descriptor that refers to a file without opening it (`O_PATH`, which Glibc's overlay does not import).
    static func nameFile(_ path: String) -> Int32? {
        let descriptor = unsafe Glibc.open(path, 0o10_000_000 | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }

    /// The result of looking up a name.
    enum Lookup {
        case file(FileEntry)
        case missing
        /// The lookup failed for another reason; see `lastCode`.
        case unknown
    }

    /// Looks up a name in an open directory, or a path from the current one, without following a link.
    static func entry(_ name: String, in directory: Int32 = AT_FDCWD) -> Lookup {
        var status = stat()
        if unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return .file(FileEntry(status)) }
        return errno == ENOENT || errno == ENOTDIR ? .missing : .unknown
    }

    /// Renames a file, and fails with `EEXIST` where the new name exists. Unlike a link and an unlink, the file never has two
    /// names.
    static func renameToNew(_ old: String, _ new: String) -> Bool { unsafe clmdb_rename_to_new(old, new) == 0 }

    /// Exchanges two files in one step.
    static func exchange(_ first: String, _ second: String) -> Bool { unsafe clmdb_exchange(first, second) == 0 }

    /// Returns an open file's size; nil if it is not a regular file.
    static func byteCount(of descriptor: Int32) -> Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Returns when a file was created, in nanoseconds since 1970; nil if the file system does not record it.
    static func birthNanoseconds(of descriptor: Int32) -> Int? {
        let nanoseconds = clmdb_birth_nanoseconds(descriptor)
        return nanoseconds < 0 ? nil : Int(nanoseconds)
    }

    /// Opens a file for reading; nil (and `lastCode`) on failure. It does not wait for the other end of a pipe.
    static func openToRead(_ path: String) -> Int32? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        return descriptor < 0 ? nil : descriptor
    }

    /// Closes a descriptor in programs that this process starts.
    static func closeOnExecution(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Reads up to `count` bytes from an offset in a file; fewer at the end of the file, nil (and `lastCode`) on failure.
    static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var isFailed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = unsafe pread(descriptor, buffer.baseAddress! + filled, count - filled, offset + filled)
                if got < 0 && errno == EINTR { continue }
                isFailed = got < 0
                if got <= 0 { return }
                filled += got
            }
        }
        return isFailed ? nil : bytes
    }

    /// Reads up to `count` bytes from an offset in a file to the beginning of `bytes`, which is not shorter.
    ///
    /// - Returns: how many bytes it read: fewer at the end of the file, nil (and `lastCode`) on failure.
    static func read(_ descriptor: Int32, at offset: Int, count: Int, into bytes: inout [UInt8]) -> Int? {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            let count = min(count, buffer.count)
            var filled = 0
            while filled < count {
                let got = unsafe pread(descriptor, buffer.baseAddress! + filled, count - filled, offset + filled)
                if got < 0 && errno == EINTR { continue }
                if got < 0 { return nil }
                if got == 0 { break }
                filled += got
            }
            return filled
        }
    }

    /// Writes bytes at an offset in a file; false (and `lastCode`) on failure.
    static func write(_ descriptor: Int32, _ bytes: RawSpan, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.byteCount {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(descriptor, buffer.baseAddress! + written, buffer.count - written, offset + written)
            }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return false }
            written += count
        }
        return true
    }

    /// Writes bytes at an offset in a file; false (and `lastCode`) on failure.
    static func write(_ descriptor: Int32, _ bytes: [UInt8], at offset: Int) -> Bool {
        unsafe write(descriptor, bytes.span.bytes, at: offset)
    }

    /// Flushes a file, or the names in a directory, to the disk; returns false (and `lastCode`) on failure.
    static func sync(_ path: String, isDirectory: Bool) -> Bool {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | (isDirectory ? O_DIRECTORY : O_NOFOLLOW))
        guard descriptor >= 0 else { return false }
        let result = fsync(descriptor)
        let code = errno
        close(descriptor)
        errno = code
        return result == 0
    }

    /// Sets a file's mode exactly, whatever the process's umask.
    static func setMode(_ path: String, _ mode: UInt32) {
        _ = unsafe chmod(path, mode)
    }

    /// Pauses this thread while it waits for another process that cannot send a signal.
    static func pause(milliseconds: UInt32) {
        _ = usleep(milliseconds * 1_000)
    }

    // MARK: File systems and memory

    /// The size of a page of memory, and of the pages in a file that LMDB creates on this machine.
    static var pageSize: Int { min(sysconf(Int32(_SC_PAGESIZE)), DataFileMeta.largestPage) }

    /// Returns the magic number of the file system of a path; nil (and `lastCode`) if the path does not exist.
    static func fileSystemMagic(at path: String) -> UInt32? {
        var status = statfs()
        guard unsafe statfs(path, &status) == 0 else { return nil }
        return UInt32(truncatingIfNeeded: status.f_type)
    }

    /// Returns the bytes that this process can still write on the file system of an open file; nil if the file system does not
    /// report them.
    static func freeBytes(of descriptor: Int32) -> Int? {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Returns whether this much address space is available. Reserves it for a moment and touches none of it.
    static func canMap(byteCount: Int) -> Bool {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let address = unsafe mmap(nil, byteCount, PROT_NONE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { return false }
        _ = unsafe munmap(address, byteCount)
        return true
    }
}

/// A thread that holds the writer seat. A later thread can get the same handle soon, but not the same kernel number.
struct ThreadIdentity: Hashable, Sendable {
    var handle: UInt
    var kernelNumber: Int32
}

/// Identifies a file, whatever path leads to it.
struct FileNode: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}
