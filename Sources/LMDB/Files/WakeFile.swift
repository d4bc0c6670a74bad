internal import CLMDB
internal import Glibc
internal import Synchronization

/// A file beside the store through which processes wake each other after a commit.
///
/// All processes map its first bytes: a count that every commit increments, on which one thread per process waits in the kernel
/// (a futex). A wake is a hint and carries no data: the woken process reads the store.
///
/// Bytes 0-7 are a magic text, and bytes 8-11 the count. The file has one page. Bytes past the first page are never mapped:
/// programs lock them (``ExclusiveByte``).
///
/// A program may truncate the file while it is mapped, and an access to the map then raises SIGBUS. So the count is read from the
/// file, and it is incremented in the map only while the file has its size. Without a count, threads wait until their time has
/// passed. The page has its blocks from the start, so a full disk does not matter.
///
/// `@unchecked Sendable`: the map does not move until `deinit`, and the count in it is accessed only atomically.
@safe
package final class WakeFile: @unchecked Sendable {
    package static let name = "feed.wake"
    static let magic: [UInt8] = Array("MSWAKE1\n".utf8)
    static let byteCount = 4_096
    private static let countOffset = 8
    /// The longest pause of a thread that cannot wait for the count.
    private static let pauseMilliseconds: UInt32 = 50

    /// The file's path.
    package let path: String
    private let map: UnsafeMutableRawPointer
    private let descriptor: Int32
    private let isWritable: Bool

    /// Opens the file in a store's directory, and creates it if it does not exist.
    ///
    /// - Parameter isReadOnly: whether this process only waits. It then does not create the file, and a missing file is an error.
    package init(in directory: String, fileMode: UInt32, isReadOnly: Bool) throws(LMDBError) {
        path = directory + "/" + WakeFile.name
        isWritable = !isReadOnly
        let flags = (isReadOnly ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe Glibc.open(path, flags, fileMode)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: path) }
        do throws(LMDBError) {
            if !isReadOnly { try WakeFile.prepare(descriptor, path, as: directory + "/data.mdb") }
            unsafe map = try WakeFile.map(descriptor, path, isReadOnly: isReadOnly)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    /// Gives the file its blocks, and its content if it is new.
    private static func prepare(_ descriptor: Int32, _ path: String, as dataFile: String) throws(LMDBError) {
        let isNew = SystemCalls.byteCount(of: descriptor) ?? 0 < byteCount
        try SpaceReservation.reserve(byteCount, of: descriptor, path)
        guard isNew else { return }
        // Several processes may create it at once. Each writes the same bytes.
        guard ftruncate(descriptor, off_t(byteCount)) == 0, SystemCalls.write(descriptor, magic, at: 0) else {
            throw LMDBError(code: errno, operation: "pwrite", path: path)
        }
        share(descriptor, as: dataFile)
    }

    private static func map(
        _ descriptor: Int32, _ path: String, isReadOnly: Bool
    ) throws(LMDBError) -> UnsafeMutableRawPointer {
        guard SystemCalls.byteCount(of: descriptor) ?? 0 >= byteCount else {
            throw LMDBError(code: ENODATA, operation: "open", path: path)
        }
        let protection = isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE
        let map = unsafe mmap(nil, byteCount, protection, MAP_SHARED, descriptor, 0)
        guard let map = unsafe map, unsafe map != MAP_FAILED else {
            throw LMDBError(code: errno, operation: "mmap", path: path)
        }
        return unsafe map
    }

    /// Gives the file the owner and mode of the data file, so that the same users have access even if root creates it.
    private static func share(_ descriptor: Int32, as dataFile: String) {
        var data = stat()
        var own = stat()
        guard unsafe stat(dataFile, &data) == 0, unsafe fstat(descriptor, &own) == 0 else { return }
        if own.st_uid != data.st_uid || own.st_gid != data.st_gid { _ = fchown(descriptor, data.st_uid, data.st_gid) }
        if own.st_mode & 0o777 != data.st_mode & 0o777 { _ = fchmod(descriptor, data.st_mode & 0o777) }
    }

    deinit {
        _ = unsafe munmap(map, WakeFile.byteCount)
        Glibc.close(descriptor)
    }

    /// The count of wakes; 0 if the file was truncated.
    package var count: UInt32 {
        let count = MemoryLayout<UInt32>.size
        guard let bytes = SystemCalls.read(descriptor, at: WakeFile.countOffset, count: count), bytes.count == count
        else { return 0 }
        return bytes.indices.reduce(0) { $0 | UInt32(bytes[$1]) << (8 * $1) }
    }

    /// Increments the count and wakes all waiting threads, in all processes. Has no effect if the file was opened read-only, or
    /// if another program truncated it.
    package func wakeAll() {
        guard isWritable, SystemCalls.byteCount(of: descriptor) ?? 0 >= WakeFile.byteCount else { return }
        unsafe map.advanced(by: WakeFile.countOffset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .add(1, ordering: .acquiringAndReleasing)
        wakeWaiting()
    }

    /// Wakes all waiting threads without incrementing the count. Threads of other processes check the count and wait again.
    package func wakeWaiting() { _ = unsafe clmdb_futex_wake(map.advanced(by: WakeFile.countOffset)) }

    /// Blocks this thread until the count differs from `count`, the thread is woken, or the time has passed.
    package func wait(whileCountIs count: UInt32, milliseconds: UInt32) {
        let code = unsafe clmdb_futex_wait(map.advanced(by: WakeFile.countOffset), count, milliseconds)
        // A truncated file has no page to wait on.
        if code != 0, errno == EFAULT { SystemCalls.pause(milliseconds: min(milliseconds, WakeFile.pauseMilliseconds)) }
    }
}
