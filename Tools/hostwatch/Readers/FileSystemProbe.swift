import Dispatch
import Foundation
import Glibc
import Synchronization

/// The sizes of a file system, from statvfs(3).
struct FileSystemSizes: Sendable, Equatable {
    var totalBytes: UInt64
    var freeBytes: UInt64
    var availableBytes: UInt64
    var totalFiles: UInt64
    var freeFiles: UInt64

    /// What the system answers for `path`; nil when it refuses.
    static func query(_ path: String) -> FileSystemSizes? {
        var answer = statvfs()
        while unsafe statvfs(path, &answer) != 0 {
            guard errno == EINTR else { return nil }
        }
        let block = UInt64(answer.f_frsize == 0 ? answer.f_bsize : answer.f_frsize)
        func bytes(_ blocks: UInt64) -> UInt64 {
            let (product, overflows) = blocks.multipliedReportingOverflow(by: block)
            return overflows ? .max : product
        }
        return FileSystemSizes(
            totalBytes: bytes(UInt64(answer.f_blocks)), freeBytes: bytes(UInt64(answer.f_bfree)),
            availableBytes: bytes(UInt64(answer.f_bavail)), totalFiles: UInt64(answer.f_files),
            freeFiles: UInt64(answer.f_ffree))
    }
}

/// Asks file systems for their sizes without being held up by one that does not answer.
///
/// A question to an unreachable server can block its thread for good, and nothing can call it back. So each question
/// has a thread of its own, and a file system that still owes an answer is not asked again: at most one thread is
/// stuck for each, however often it is tried. The set of those is protected by its lock.
final class FileSystemProbe: Sendable {
    private let patienceInSeconds: Double
    private let query: @Sendable (String) -> FileSystemSizes?
    private let unanswered = Mutex<Set<String>>([])

    /// A probe that waits this long for each answer.
    init(
        patienceInSeconds: Double = 1, query: @escaping @Sendable (String) -> FileSystemSizes? = FileSystemSizes.query
    ) {
        self.patienceInSeconds = patienceInSeconds
        self.query = query
    }

    /// The sizes of the file system at `path`; nil when it refuses or does not answer in time.
    func sizes(of path: String) -> FileSystemSizes? {
        guard unanswered.withLock({ $0.insert(path).inserted }) else { return nil }
        let answer = Answer()
        Thread.detachNewThread { [self] in
            let sizes = query(path)
            unanswered.withLock { _ = $0.remove(path) }
            answer.sizes.withLock { $0 = sizes }
            answer.arrived.signal()
        }
        guard answer.arrived.wait(timeout: .now() + patienceInSeconds) == .success else { return nil }
        return answer.sizes.withLock { $0 }
    }

    private final class Answer: Sendable {
        let sizes = Mutex<FileSystemSizes?>(nil)
        let arrived = DispatchSemaphore(value: 0)
    }
}
