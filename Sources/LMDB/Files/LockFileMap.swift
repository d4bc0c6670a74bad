internal import CLMDB
internal import Glibc

/// This process's own map of `lock.mdb`, which LMDB has open and mapped too. LMDB has no call for what it shows: the process that
/// holds the writer lock, and the slots of readers.
///
/// The layout is that of LMDB 0.9 with the mutexes of the C library. Their size differs between processors, so the offsets are
/// computed from it:
///
/// - 0: magic, and after it the format, 4 bytes each;
/// - 8: the mutex of the reader table;
/// - after it: the newest transaction (8 bytes) and the number of used slots (4 bytes);
/// - at the next multiple of 64: the mutex of the writer;
/// - at the next multiple of 64: the slots of readers, 64 bytes each.
///
/// POSIX locks belong to the process: closing any descriptor of the file releases LMDB's locks on it. So the descriptor stays
/// open until LMDB has closed the environment. From then on the map has zeros, which its last users may still read.
///
/// `@unchecked Sendable`: the address never changes.
@safe
final class LockFileMap: @unchecked Sendable {
    private static let magic: UInt32 = 0xBEEF_C0DE
    /// The first bytes of every such file.
    static let beginning: [UInt8] = {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        return bytes
    }()
    private static let lineByteCount = 64
    private static let mutexByteCount = unsafe MemoryLayout<pthread_mutex_t>.size

    /// The offset of the number of used slots.
    static let countOffset = 8 + mutexByteCount + MemoryLayout<UInt64>.size
    /// The offset of the mutex that writers take in turn.
    static let writerOffset = aligned(countOffset + MemoryLayout<UInt32>.size)
    /// The offset of the first slot.
    static let slotsOffset = writerOffset + aligned(mutexByteCount)

    let node: FileNode
    private let base: UnsafeMutableRawPointer
    private let byteCount: Int
    private let isWritable: Bool
    private let descriptor: HandoverMutex<Int32?>

    private static func aligned(_ offset: Int) -> Int { (offset + lineByteCount - 1) / lineByteCount * lineByteCount }

    /// Maps the lock file of an environment that LMDB has open; nil (and `lastCode`) on failure.
    init?(of path: String) {
        let flags = O_CLOEXEC | O_NOFOLLOW
        var opened = unsafe open(path + "/lock.mdb", O_RDWR | flags)
        isWritable = opened >= 0
        if opened < 0 { opened = unsafe open(path + "/lock.mdb", O_RDONLY | flags) }
        guard opened >= 0 else { return nil }
        // From here on the descriptor must not be closed before LMDB's own.
        descriptor = HandoverMutex(opened)
        guard let node = SystemCalls.node(of: opened), let byteCount = SystemCalls.byteCount(of: opened),
            byteCount > Self.slotsOffset
        else { return nil }
        let access = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        let address = unsafe mmap(nil, byteCount, access, MAP_SHARED, opened, 0)
        guard let start = unsafe address, unsafe start != MAP_FAILED else { return nil }
        guard unsafe start.load(as: UInt32.self) == Self.magic else {
            _ = unsafe munmap(start, byteCount)
            return nil
        }
        self.node = node
        self.byteCount = byteCount
        unsafe base = start
    }

    deinit { _ = unsafe munmap(base, byteCount) }

    /// Lets go of the file, which would prevent unmounting the file system. Only after LMDB has closed the environment.
    func closeFile() {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            descriptor = nil
            let flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS
            _ = unsafe mmap(base, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
            SystemCalls.close(open)
        }
    }

    /// Returns whether another process holds LMDB's lock that says that a process with this number uses the reader table. A
    /// process of another pid namespace may have the same number.
    func isInUse(byOtherProcess process: Int32) -> Bool {
        descriptor.withLock { descriptor in
            guard let descriptor else { return false }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(process)
            lock.l_len = 1
            return unsafe fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
        }
    }

    /// Reads a number; 0 behind the end of the file.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= byteCount else { return 0 }
        return unsafe base.load(fromByteOffset: offset, as: type)
    }

    /// Writes a number.
    func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        guard isWritable, offset >= 0, offset + MemoryLayout<Value>.size <= byteCount else { return }
        unsafe base.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }

    /// Replaces a number of 8 bytes, unless another thread or process has changed it.
    func exchange(_ expected: UInt64, for desired: UInt64, at offset: Int) {
        guard isWritable, offset >= 0, offset + MemoryLayout<UInt64>.size <= byteCount else { return }
        _ = unsafe clmdb_exchange_word(base + offset, expected, desired)
    }
}
