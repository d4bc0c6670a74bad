internal import Glibc

/// The lock that the writers of all processes take in turn, read from the mapped lock file.
///
/// LMDB has no call that returns the lock's holder. The lock is a robust mutex in `lock.mdb`. The C library, glibc, stores the
/// kernel's number of the holding thread in the first word of such a mutex.
struct WriterLock {
    /// The bits of the word that contain the thread number. The other bits mean that threads wait, or that the holder died.
    private static let threadMask: UInt32 = 0x3FFF_FFFF

    private let map: LockFileMap

    init(_ map: LockFileMap) { self.map = map }

    /// Whether a thread of any process holds the lock.
    var isHeld: Bool { holdingThread != 0 }

    /// The process that holds the lock; nil if none does. 0 for a process of another pid namespace, which has no number here.
    var holder: Int32? {
        let thread = holdingThread
        guard thread != 0 else { return nil }
        return Self.process(ofThread: thread) ?? 0
    }

    private var holdingThread: UInt32 { map.load(LockFileMap.writerOffset, as: UInt32.self) & Self.threadMask }

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
