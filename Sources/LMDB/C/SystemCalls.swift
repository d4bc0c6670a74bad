internal import CLMDB
internal import Glibc

/// The system's calls that this layer makes beside LMDB's, each with a Swift face.
enum SystemCalls {
    /// The calling thread's handle: cheap, and unique among the threads that run.
    @inline(__always)
    static var currentThread: UInt {
        UInt(pthread_self())
    }

    static var currentThreadIdentity: ThreadIdentity {
        ThreadIdentity(handle: currentThread, kernelNumber: clmdb_thread_number())
    }

    /// Whether a thread of this process has not ended.
    static func isRunning(_ thread: ThreadIdentity) -> Bool {
        clmdb_thread_runs(thread.kernelNumber) != 0
    }

    /// The code of the last failed call.
    static var lastCode: Int32 { errno }

    /// A variable of the environment.
    static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

    // MARK: Files

    /// A file's device and inode; nil if there is no such file.
    static func node(at path: String) -> FileNode? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileNode(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// The same for an open file.
    static func node(of descriptor: Int32) -> FileNode? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return FileNode(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// A file's owner, group and mode as people read them; nil where the system does not say.
    static func access(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        return "owner \(status.st_uid), group \(status.st_gid), mode \(mode)"
    }

    /// A descriptor that names a file and does not open it (`O_PATH`, which Glibc's overlay does not import).
    static func nameFile(_ path: String) -> Int32? {
        let descriptor = unsafe Glibc.open(path, 0o10_000_000 | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }

    /// Whether a file has no name left.
    static func isUnnamed(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// An open file's size; nil for what is not a regular file.
    static func byteCount(of descriptor: Int32) -> Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// When a file was made, in nanoseconds since 1970; nil where the file system does not keep it.
    static func birthNanoseconds(of descriptor: Int32) -> Int? {
        let nanoseconds = clmdb_birth_nanoseconds(descriptor)
        return nanoseconds < 0 ? nil : Int(nanoseconds)
    }

    /// Opens a file to read it; nil (and `lastCode`) if that fails. Never waits for the other end of a pipe.
    static func openToRead(_ path: String) -> Int32? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        return descriptor < 0 ? nil : descriptor
    }

    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Up to so many bytes from a place in a file; fewer at its end, nil (and `lastCode`) on failure.
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

    /// Brings the names in a directory to the disk; false (and `lastCode`) on failure.
    static func syncDirectory(_ path: String) -> Bool {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let result = fsync(descriptor)
        let code = errno
        close(descriptor)
        errno = code
        return result == 0
    }

    /// Gives a file exactly this mode, whatever the process's umask.
    static func setMode(_ path: String, _ mode: UInt32) {
        _ = unsafe chmod(path, mode)
    }

    /// Lets this thread rest, where another process is waited for that cannot say when it is done.
    static func pause(milliseconds: UInt32) {
        _ = usleep(milliseconds * 1_000)
    }

    // MARK: File systems and memory

    /// The size of a page of memory, and of the pages in a file that LMDB makes here.
    static var pageSize: Int { min(sysconf(Int32(_SC_PAGESIZE)), DataFileMeta.largestPage) }

    /// The magic number of the file system a path is on; nil (and `lastCode`) if there is no such path.
    static func fileSystemMagic(at path: String) -> UInt32? {
        var status = statfs()
        guard unsafe statfs(path, &status) == 0 else { return nil }
        return UInt32(truncatingIfNeeded: status.f_type)
    }

    /// Bytes that this process may still fill on the file system of an open file; nil if it does not say.
    static func freeBytes(of descriptor: Int32) -> Int? {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Whether so much address space is to be had. Reserves it for a moment and touches none of it.
    static func canMap(byteCount: Int) -> Bool {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let address = unsafe mmap(nil, byteCount, PROT_NONE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { return false }
        _ = unsafe munmap(address, byteCount)
        return true
    }
}

/// A thread that holds the writer's seat. Its handle may be a later thread's, its number not for a long time.
struct ThreadIdentity: Hashable, Sendable {
    var handle: UInt
    var kernelNumber: Int32
}

/// Which file it is, whatever path leads to it.
struct FileNode: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}
