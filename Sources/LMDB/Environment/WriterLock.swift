internal import Glibc

/// The lock that the writers of all processes take in turn, read from the mapped lock file.
///
/// LMDB has no call that returns the lock's holder. The lock is a robust mutex in `lock.mdb`. LMDB keeps that file mapped while
/// the environment is open. The C library, glibc, stores the kernel's number of the holding thread in the first word of such a
/// mutex. This type only reads the mapped word: opening and closing the file would release LMDB's own locks on it.
struct WriterLock {
    /// The offset of the mutex in the file: LMDB 0.9 has the header and counters of the reader table in the first 64 bytes.
    private static let mutexOffset = 64
    /// The bits of the word that contain the thread number. The other bits mean that threads wait, or that the holder died.
    private static let threadMask: UInt32 = 0x3FFF_FFFF
    private static let magic: UInt32 = 0xBEEF_C0DE

    private let word: UInt

    /// Where this process has mapped the lock file.
    var fileStart: UInt { word - UInt(Self.mutexOffset) }

    /// Finds the lock in a lock file that this process has mapped; nil if the file is not mapped or has another format.
    ///
    /// - Parameter file: the lock file.
    init?(_ file: FileNode) {
        guard let start = Self.address(of: file) else { return nil }
        guard Self.load(start) == Self.magic else { return nil }
        word = start + UInt(Self.mutexOffset)
    }

    /// Whether a thread of any process holds the lock. The environment must be open.
    var isHeld: Bool { holdingThread != 0 }

    /// The process that holds the lock; nil if none does. 0 for a process of another pid namespace, which has no number here.
    ///
    /// The environment must be open.
    var holder: Int32? {
        let thread = holdingThread
        guard thread != 0 else { return nil }
        return Self.process(ofThread: thread) ?? 0
    }

    private var holdingThread: UInt32 { Self.load(word) & Self.threadMask }

    private static func load(_ address: UInt) -> UInt32 {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return 0 }
        return unsafe pointer.load(as: UInt32.self)
    }

    /// Returns the address at which this process has mapped the beginning of a lock file.
    private static func address(of file: FileNode) -> UInt? {
        for line in text(of: "/proc/self/maps").split(separator: "\n") where line.hasSuffix("/lock.mdb") {
            // address-address permissions offset device inode path
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard words.count == 6, UInt64(words[4]) == file.inode, UInt64(words[2], radix: 16) == 0 else { continue }
            return words[0].split(separator: "-").first.flatMap { UInt($0, radix: 16) }
        }
        return nil
    }

    /// Returns the process of a thread.
    private static func process(ofThread thread: UInt32) -> Int32? {
        for line in text(of: "/proc/\(thread)/status").split(separator: "\n") where line.hasPrefix("Tgid:") {
            return Int32(line.dropFirst(5).filter(\.isNumber))
        }
        return nil
    }

    private static func text(of path: String) -> String {
        guard let descriptor = SystemCalls.openToRead(path) else { return "" }
        defer { SystemCalls.close(descriptor) }
        var bytes: [UInt8] = []
        while let more = SystemCalls.read(descriptor, at: bytes.count, count: 1 << 16), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }
}
