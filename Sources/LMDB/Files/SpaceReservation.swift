internal import CLMDB
internal import Glibc

/// Reserves disk space for the small files that processes write through a map.
///
/// LMDB makes `lock.mdb` with `ftruncate`, which leaves a hole. On a full disk, the first write to a page of a mapped hole raises
/// SIGBUS, in readers too, because each reader writes to its slot. A file whose blocks exist cannot fail so.
enum SpaceReservation {
    /// The sizes of LMDB 0.9's lock file: the header with the counters and two mutexes, then a slot for each reader.
    private static let lockHeaderByteCount = 128
    private static let readerSlotByteCount = 64

    /// Gives `lock.mdb` its blocks before LMDB maps it, and creates the file if it does not exist.
    ///
    /// The file keeps its size, because LMDB computes the number of slots from it, and other processes may have it mapped. The
    /// environment must not be open in this process: closing a descriptor of the file releases LMDB's locks.
    ///
    /// - Throws: ``LMDBError`` with the code `diskFull`. Other failures are left to LMDB, which reports them at the opening.
    static func reserveLockFile(in path: String, maximumReaders: Int, fileMode: UInt32) throws(LMDBError) {
        let file = path + "/lock.mdb"
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, fileMode)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard let byteCount = SystemCalls.byteCount(of: descriptor) else { return }
        try reserve(max(byteCount, lockFileByteCount(maximumReaders: maximumReaders)), of: descriptor, file)
    }

    /// The size of a lock file.
    static func lockFileByteCount(maximumReaders: Int) -> Int {
        lockHeaderByteCount + maximumReaders * readerSlotByteCount
    }

    /// Gives the first bytes of a file their blocks. The file keeps its size; blocks beyond its end are used when it grows.
    ///
    /// - Throws: ``LMDBError`` with the code `diskFull`. A file system that cannot reserve space is no error.
    static func reserve(_ byteCount: Int, of descriptor: Int32, _ file: String) throws(LMDBError) {
        guard clmdb_reserve(descriptor, Int(byteCount)) != 0 else { return }
        let code = errno
        guard code == ENOSPC || code == EDQUOT else { return }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        throw LMDBError(
            .diskFull, operation: "fallocate", path: file, systemCode: code,
            detail: "the disk is full, and \(name) needs \(byteCount) bytes", remedy: "free space, then retry")
    }
}
