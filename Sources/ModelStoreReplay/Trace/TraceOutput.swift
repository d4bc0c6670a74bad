import Foundation
import Glibc
import LMDB
import StoreEngine
import StoreRuntime

/// The file that a trace is written to.
///
/// A new trace has a hidden name beside its path until ``publish()``, so an existing file is never emptied, and a failed
/// recording leaves it as it is. Links are not followed. A pipe or a device is written directly. One task at a time can use it.
final class TraceOutput {
    /// The system's own names of devices and open files. Some are links, such as `/dev/stdout`, and only the system makes them.
    private static let systemDirectories: Set = ["/dev/", "/dev/fd/", "/proc/self/fd/"]

    private let path: String
    private let replaces: Bool
    /// The hidden name; nil once the file is published, and for a pipe or a device.
    private var hidden: String?
    let descriptor: Int32

    /// Creates the file, with the owner and the mode of `model`.
    ///
    /// - Parameters:
    ///   - path: where the file is published.
    ///   - replaces: whether it may replace a file there.
    ///   - model: the data file of the recorded store.
    /// - Throws: `StoreError`: `invalidValue` for an empty or blank path; `traceExists`, `ioError`.
    init(_ path: String, replaces: Bool, like model: String) throws(StoreError) {
        try StoreDirectory.requireNamed(path, "of the trace")
        self.path = path
        self.replaces = replaces
        let directory = String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)])
        let isOfSystem = Self.systemDirectories.contains(directory)
        let kind = try Self.kind(path)
        if isOfSystem || kind == S_IFIFO || kind == S_IFCHR {
            descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | (isOfSystem ? 0 : O_NOFOLLOW))
            guard descriptor >= 0 else { throw TraceFile.failure("be written", path) }
            return
        }
        if kind == S_IFDIR {
            errno = EISDIR
            throw TraceFile.failure("be written", path)
        }
        guard replaces || kind == nil else { throw Self.exists(path) }
        let hidden = directory + ".trace-" + UUID().uuidString
        do {
            descriptor = try StoreFile.create(hidden, likeFileAt: model)
        } catch {
            errno = error.systemCode
            throw TraceFile.failure("be written", path)
        }
        self.hidden = hidden
    }

    deinit {
        close(descriptor)
        if let hidden { _ = unsafe unlink(hidden) }
    }

    /// Gives the file its path. Later calls do nothing.
    ///
    /// - Throws: `StoreError`: `traceExists` if another program has created a file there; `ioError`.
    func publish() throws(StoreError) {
        guard let hidden else { return }
        let isPublished = replaces ? unsafe rename(hidden, path) == 0 : StoreFile.move(hidden, toNew: path)
        guard isPublished else {
            throw errno == EEXIST ? Self.exists(path) : TraceFile.failure("be written", path)
        }
        self.hidden = nil
    }

    /// Returns the kind of the file at a path, without following a link; nil if there is none.
    private static func kind(_ path: String) throws(StoreError) -> UInt32? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw TraceFile.failure("be written", path)
        }
        return status.st_mode & S_IFMT
    }

    private static func exists(_ path: String) -> StoreError {
        StoreError(
            .traceExists, "\(path) exists",
            remedy: "choose another path, or replace the file: --replace, RecordingOptions.replacesFile")
    }
}
