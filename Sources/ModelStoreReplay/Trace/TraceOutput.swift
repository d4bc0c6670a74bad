import Foundation
import Glibc
import LMDB
import StoreEngine
import StoreRuntime

/// The file that a trace is written to.
///
/// A new trace has no name until ``publish()``, so an existing file is never emptied, and a failed or killed recording leaves
/// nothing. On a file system without such files, it has a hidden name. Links are not followed. A pipe or a device is written
/// directly. A trace replaces only a trace or an empty file, and is never written into the directory of a store. One task at a
/// time can use it.
final class TraceOutput {
    /// The system's own names of devices and open files. Some are links, such as `/dev/stdout`, and only the system makes them.
    private static let systemDirectories: Set = ["/dev/", "/dev/fd/", "/proc/self/fd/"]

    private let path: String
    private let replaces: Bool
    /// Whether the file awaits its path. A pipe or a device never does.
    private var isUnpublished = false
    /// A hidden name in the directory of the path.
    private let hidden: String
    /// Whether the file has the hidden name.
    private var isHidden = false
    let descriptor: Int32

    /// Creates the file, with the owner and the mode of `model`.
    ///
    /// - Parameters:
    ///   - path: where the file is published.
    ///   - replaces: whether it may replace a trace there.
    ///   - model: the data file of the recorded store.
    /// - Throws: `StoreError`: `invalidValue` for an empty or blank path, and for a path in the directory of a store;
    ///   `traceExists`, `ioError`.
    init(_ path: String, replaces: Bool, like model: String) throws(StoreError) {
        try StoreDirectory.requireNamed(path, "of the trace")
        self.path = path
        self.replaces = replaces
        let directory = String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)])
        hidden = directory + ".trace-" + UUID().uuidString
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
        guard unsafe access(StoreDirectory.dataFile(directory.isEmpty ? "." : directory), F_OK) != 0 else {
            throw StoreError(
                .invalidValue, "the trace \(path) would be among the files of a store",
                remedy: "choose a path outside the directory of a store")
        }
        guard replaces || kind == nil else { throw Self.exists(path) }
        try Self.requireReplaceable(path, kind)
        isUnpublished = true
        if let unnamed = StoreFile.createUnnamed(in: directory, likeFileAt: model) {
            descriptor = unnamed
            return
        }
        do {
            descriptor = try StoreFile.create(hidden, likeFileAt: model)
        } catch {
            errno = error.systemCode
            throw TraceFile.failure("be written", path)
        }
        isHidden = true
    }

    deinit {
        close(descriptor)
        if isHidden { _ = unsafe unlink(hidden) }
    }

    /// Gives the file its path. Later calls do nothing.
    ///
    /// - Throws: `StoreError`: `traceExists` if another program has created a file there that the trace may not replace;
    ///   `ioError`.
    func publish() throws(StoreError) {
        guard isUnpublished else { return }
        if replaces { try Self.requireReplaceable(path, Self.kind(path)) }
        guard isHidden ? move() : replaces ? hide() && move() : StoreFile.name(descriptor, path) else {
            throw errno == EEXIST ? Self.exists(path) : TraceFile.failure("be written", path)
        }
        (isUnpublished, isHidden) = (false, false)
    }

    /// Gives the file its hidden name: only a file with a name can replace another.
    private func hide() -> Bool {
        isHidden = StoreFile.name(descriptor, hidden)
        return isHidden
    }

    private func move() -> Bool {
        replaces ? unsafe rename(hidden, path) == 0 : StoreFile.move(hidden, toNew: path)
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

    /// Throws if there is a file with content that is no trace: `path` is then most likely a mistake.
    private static func requireReplaceable(_ path: String, _ kind: UInt32?) throws(StoreError) {
        // A link is replaced itself, so its target keeps its content.
        guard let kind, kind != S_IFLNK else { return }
        if kind == S_IFREG {
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0 else { throw TraceFile.failure("be written", path) }
            defer { close(file) }
            // One byte more than the beginning of a header: the first digit of its format.
            let count = TraceHeader.beginning.count + 1
            let found = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
                filled = unsafe max(pread(file, bytes.baseAddress, count, 0), 0)
            }
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            let isTrace = found.starts(with: TraceHeader.beginning) && digits ~= found.last ?? 0
            if found.isEmpty || isTrace { return }
        }
        throw StoreError(
            .traceExists, "\(path) exists, and is no trace", remedy: "choose another path, or remove the file first")
    }

    private static func exists(_ path: String) -> StoreError {
        StoreError(
            .traceExists, "\(path) exists",
            remedy: "choose another path, or replace an earlier trace: --replace, RecordingOptions.replacesFile")
    }
}
