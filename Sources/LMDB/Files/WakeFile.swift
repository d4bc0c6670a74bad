internal import CLMDB
internal import Glibc
internal import Synchronization

/// A file beside the store through which processes wake each other after a commit.
///
/// All map its first bytes: a count that every commit raises, on which a thread of each process waits in the kernel (a
/// futex). A wake is a hint and carries no data: whoever wakes looks into the store.
///
/// Bytes 0-7 are a magic text, 8-11 the count; the file is one page. Bytes past the first page are never mapped: programs lock
/// them (``ExclusiveByte``).
///
/// `@unchecked Sendable`: the map stays where it is until `deinit`, and the count in it is only touched atomically.
@safe
package final class WakeFile: @unchecked Sendable {
    package static let name = "feed.wake"
    private static let magic: [UInt8] = Array("MSWAKE1\n".utf8)
    private static let byteCount = 4_096
    private static let countOffset = 8

    /// The file's path.
    package let path: String
    private let map: UnsafeMutableRawPointer
    private let isWritable: Bool

    /// Opens the file in a store's directory, and makes it where there is none.
    ///
    /// - Parameter isReadOnly: whether this process only waits. Then the file is not made, and its absence is an error.
    package init(in directory: String, fileMode: UInt32, isReadOnly: Bool) throws(LMDBError) {
        path = directory + "/" + WakeFile.name
        isWritable = !isReadOnly
        let flags = (isReadOnly ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe Glibc.open(path, flags, fileMode)
        guard descriptor >= 0 else { throw LMDBError(code: errno, operation: "open", path: path) }
        defer { Glibc.close(descriptor) }
        if !isReadOnly, SystemCalls.byteCount(of: descriptor) ?? 0 < WakeFile.byteCount {
            // Several may make it at once; each writes the same bytes.
            guard ftruncate(descriptor, off_t(WakeFile.byteCount)) == 0,
                unsafe WakeFile.magic.withUnsafeBytes({ unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) })
                    == WakeFile.magic.count
            else { throw LMDBError(code: errno, operation: "pwrite", path: path) }
            WakeFile.share(descriptor, as: directory + "/data.mdb")
        }
        guard SystemCalls.byteCount(of: descriptor) ?? 0 >= WakeFile.byteCount else {
            throw LMDBError(code: ENODATA, operation: "open", path: path)
        }
        let protection = isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE
        let map = unsafe mmap(nil, WakeFile.byteCount, protection, MAP_SHARED, descriptor, 0)
        guard let map = unsafe map, unsafe map != MAP_FAILED else {
            throw LMDBError(code: errno, operation: "mmap", path: path)
        }
        unsafe self.map = map
    }

    /// Lets those use the file who may use the data: root makes it for others too.
    private static func share(_ descriptor: Int32, as dataFile: String) {
        var data = stat()
        var own = stat()
        guard unsafe stat(dataFile, &data) == 0, unsafe fstat(descriptor, &own) == 0 else { return }
        if own.st_uid != data.st_uid || own.st_gid != data.st_gid { _ = fchown(descriptor, data.st_uid, data.st_gid) }
        if own.st_mode & 0o777 != data.st_mode & 0o777 { _ = fchmod(descriptor, data.st_mode & 0o777) }
    }

    deinit { _ = unsafe munmap(map, WakeFile.byteCount) }

    /// The count of wakes.
    package var count: UInt32 {
        unsafe map.advanced(by: WakeFile.countOffset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .load(ordering: .acquiring)
    }

    /// Raises the count and wakes all who wait, in all processes. Without effect where the file was opened to wait only.
    package func wakeAll() {
        guard isWritable else { return }
        unsafe map.advanced(by: WakeFile.countOffset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .add(1, ordering: .acquiringAndReleasing)
        wakeWaiting()
    }

    /// Wakes all who wait without a reason for others; they look and wait again.
    package func wakeWaiting() { _ = unsafe clmdb_futex_wake(map.advanced(by: WakeFile.countOffset)) }

    /// Blocks this thread until the count is not `count` any more, somebody wakes it, or the time has passed.
    package func wait(whileCountIs count: UInt32, milliseconds: UInt32) {
        _ = unsafe clmdb_futex_wait(map.advanced(by: WakeFile.countOffset), count, milliseconds)
    }
}
