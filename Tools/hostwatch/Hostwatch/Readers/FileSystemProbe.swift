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

    /// Returns the system's answer for `path`; nil if the system refuses.
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

/// Reads the sizes of file systems without waiting for one that does not answer.
///
/// A query to an unreachable server can block its thread forever, and nothing can cancel it. So each query runs on a thread of
/// its own, and a file system with an unanswered query gets no other. At most one thread is stuck for each file system, however
/// often the probe tries.
///
/// - `unanswered` is protected by its mutex.
final class FileSystemProbe: Sendable {
    private let patienceInSeconds: Double
    private let query: @Sendable (String) -> FileSystemSizes?
    private let unanswered = Mutex<Set<String>>([])

    /// Creates a probe that waits this long for each answer.
    init(
        patienceInSeconds: Double = 1, query: @escaping @Sendable (String) -> FileSystemSizes? = FileSystemSizes.query
    ) {
        self.patienceInSeconds = patienceInSeconds
        self.query = query
    }

    /// Returns the sizes of the file system at `path`; nil if it refuses or does not answer in time.
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
