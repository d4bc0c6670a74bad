import Glibc
import LMDB
import StoreEngine

/// The right to change a store's files in ways that no process which has the store open may see.
///
/// It combines LMDB's own lock, which shows that a process has the store open, with a reservation that keeps this process from
/// opening it.
struct StoreLock: ~Copyable {
    // F_OFD_GETLK, for locks of the open file instead of the process: Glibc's overlay does not import its name.
    private static let getLock: Int32 = 36

    private let file: LockFile
    /// Keeps this process from opening the store: closing a descriptor of the lock file would release the lock that LMDB holds on
    /// it for this process.
    private let reservation: EnvironmentReservation

    /// Takes the lock of the store in a directory.
    ///
    /// - Parameter model: the file that is about to become the data file, if the directory may have none: a new lock file then
    ///   gets its owner and mode.
    /// - Throws: ``StoreError`` with the code `inUse`, naming the process if the system reports it.
    static func take(_ directory: String, likeFileAt model: String? = nil) throws(StoreError) -> StoreLock {
        let reservation = try reserve(directory)
        guard let file = try takeFile(directory) else { throw inUse(directory, by: nil) }
        let owner = FileFacts(directory + "/data.mdb") ?? model.flatMap { FileFacts($0) }
        keepOwnership(file.descriptor, as: owner, or: directory)
        return StoreLock(file: file, reservation: reservation)
    }

    /// Takes the lock of the store in a directory, and waits for the processes that have the store open.
    ///
    /// - Parameters:
    ///   - timeout: the longest wait; nil for no limit.
    ///   - onWait: called once, after a wait of one second, with the id of such a process if the system reports it.
    /// - Throws: ``StoreError``: `writeTimeout`; as ``take(_:)``.
    static func take(
        _ directory: String, timeout: Duration?, onWait: (Int32?, Duration) -> Void
    ) throws(StoreError) -> StoreLock {
        let start = ContinuousClock.now
        var isReported = false
        while true {
            do throws(StoreError) {
                return try take(directory)
            } catch {
                guard error.code == .inUse else { throw error }
            }
            let waited = start.duration(to: .now)
            let holder = holder(of: directory)
            if let timeout, waited >= timeout { throw timedOut(directory, timeout, by: holder) }
            if !isReported, waited >= waitBeforeReport {
                isReported = true
                onWait(holder, waited)
            }
            _ = poll(nil, 0, millisecondsBetweenTries)
        }
    }

    private static let waitBeforeReport = Duration.seconds(1)
    private static let millisecondsBetweenTries: Int32 = 20

    private static func timedOut(_ directory: String, _ timeout: Duration, by process: Int32?) -> StoreError {
        StoreError(
            .writeTimeout, "\(who(process)) has \(directory) open, also after a wait of \(timeout)",
            remedy: "stop the programs that use the store first, or allow a longer timeout")
    }

    private static func takeFile(_ directory: String) throws(StoreError) -> LockFile? {
        do {
            return try LockFile.take(in: directory, fileMode: 0o640)
        } catch {
            throw failure(directory + "/lock.mdb", error.systemCode)
        }
    }

    /// Wipes the reader table and releases the lock.
    borrowing func release() { file.release() }

    /// Throws if a process has the store open. Takes no lock that another process would have to wait for.
    static func requireUnused(_ directory: String) throws(StoreError) {
        let reservation = try reserve(directory)
        defer { _ = reservation }
        if let holder = try holderOfFile(directory) { throw inUse(directory, by: holder > 0 ? holder : nil) }
    }

    /// Returns the process that has the store open; nil if none has, or if the system does not report it.
    private static func holder(of directory: String) -> Int32? {
        guard let reservation = try? reserve(directory) else { return getpid() }
        defer { _ = reservation }
        let holder = try? holderOfFile(directory)
        return holder.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns the process that holds a lock on the lock file; nil if none does, and 0 or less if the system does not report it.
    private static func holderOfFile(_ directory: String) throws(StoreError) -> Int32? {
        let descriptor = unsafe open(directory + "/lock.mdb", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(directory + "/lock.mdb")
        }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        guard unsafe fcntl(descriptor, getLock, &lock) == 0 else { throw failure(directory + "/lock.mdb") }
        return Int32(lock.l_type) == F_UNLCK ? nil : lock.l_pid
    }

    private static func reserve(_ directory: String) throws(StoreError) -> EnvironmentReservation {
        do {
            return try EnvironmentReservation(of: directory)
        } catch {
            throw error.code == .busy ? inUse(directory, by: getpid()) : StoreError(error)
        }
    }

    private static func keepOwnership(_ descriptor: CInt, as model: FileFacts?, or directory: String) {
        var status = stat()
        // Only for a file that was created just now. An existing file already has the right owner.
        guard unsafe fstat(descriptor, &status) == 0, status.st_size == 0 else { return }
        guard let owner = model ?? FileFacts(directory) else { return }
        if geteuid() == 0 { _ = fchown(descriptor, owner.owner, owner.group) }
        _ = fchmod(descriptor, model?.mode ?? 0o640)
    }

    private static func inUse(_ directory: String, by process: Int32?) -> StoreError {
        StoreError(
            .inUse, "\(who(process)) has \(directory) open", remedy: "stop the programs that use the store first")
    }

    private static func who(_ process: Int32?) -> String {
        process.map { $0 == getpid() ? "this process" : "process \($0)" } ?? "a process"
    }

    private static func failure(_ path: String, _ code: Int32 = errno) -> StoreError {
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        let isDenied = code == EACCES || code == EPERM || code == EROFS
        return StoreError(isDenied ? .accessDenied : .ioError, "\(path) cannot be locked: \(reason)")
    }
}

/// The system's information about a file.
struct FileFacts {
    private let device: UInt64
    private let inode: UInt64
    let owner: UInt32
    let group: UInt32
    /// The permission bits.
    let mode: UInt32
    let byteCount: Int

    /// Reads the information about the file at a path; nil when there is none.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
        byteCount = Int(status.st_size)
    }

    /// Returns whether both are the same file.
    func isSameFile(as other: FileFacts) -> Bool { device == other.device && inode == other.inode }
}
