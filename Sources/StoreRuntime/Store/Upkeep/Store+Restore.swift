import Foundation
import Glibc
import StoreEngine

extension Store {
    /// Puts a copy, such as ``backup(to:compacting:)`` makes, in the place of a store that nothing has open.
    ///
    /// The copy is read whole and checked to be a store first, then it takes the place in one step: a crash at any moment
    /// leaves either the old store or the new one. The files keep the owner and the mode of those that they replace. The
    /// feed of the restored store starts a new epoch with its first writer, so that positions of the replaced store are
    /// not taken for its own.
    ///
    /// That nothing has the store open is made certain with LMDB's own means: every process that has an environment open
    /// holds a lock on its lock file, and `restore` takes that lock alone for the moment of the exchange. Another program
    /// that opens the store at that very moment waits for its end.
    ///
    /// - Parameters:
    ///   - source: the directory of the copy. It may be in use; what it holds at this moment is restored.
    ///   - path: the store's directory; made when missing.
    /// - Throws: ``StoreError``: `noSuchStore`, `notAStore`, `newerFormat` or `damaged` for the copy; `inUse` when a process
    ///   has the store open; `accessDenied`, `diskFull`, `ioError`. The store is then as it was.
    public static func restore(from source: String, to path: String) throws {
        try Restoration(source: source, target: path).run()
    }
}

/// The steps of a restore.
private struct Restoration {
    private static let workPrefix = ".restore-"

    let source: String
    let target: String

    private var data: String { target + "/data.mdb" }

    func run() throws {
        guard FileManager.default.fileExists(atPath: source + "/data.mdb") else {
            throw StoreError(.noSuchStore, "\(source) holds no store", remedy: "name the directory of a backup")
        }
        try makeTarget()
        guard !isSameLocation else {
            throw StoreError(.inUse, "\(source) and \(target) are the same store", remedy: "name another directory")
        }
        // A first look, so that a long copy is not made in vain.
        try StoreLock.requireUnused(target)
        let work = target + "/" + Self.workPrefix + UUID().uuidString
        do {
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
        } catch {
            throw StoreError(.accessDenied, "nothing can be made in \(target): \(ErrorText.of(error))")
        }
        // Nothing is left of a failure; what a crash left goes with the next restore.
        defer { try? FileManager.default.removeItem(atPath: work) }
        try copy(to: work)
        try check(work)
        keepOwnership(of: work + "/data.mdb")
        try Self.sync(work + "/data.mdb", O_RDONLY)
        let lock = try StoreLock.take(target)
        defer { lock.release() }
        try exchange(work)
        removeLeftovers()
    }

    private func makeTarget() throws(StoreError) {
        if FileManager.default.fileExists(atPath: target) { return }
        try StoreDirectory.make(target, mode: 0o750)
        // What root makes belongs to whom the place belongs to.
        let parent = URL(filePath: target).deletingLastPathComponent().path
        if geteuid() == 0, let owner = FileFacts(parent) { _ = unsafe chown(target, owner.owner, owner.group) }
    }

    private var isSameLocation: Bool {
        guard let first = FileFacts(source + "/data.mdb"), let second = FileFacts(data) else { return false }
        return first.isSameFile(as: second)
    }

    private func copy(to work: String) throws {
        // With a lock file somebody may be writing, and only LMDB copies consistently then.
        if FileManager.default.fileExists(atPath: source + "/lock.mdb") {
            var options = StoreOptions()
            options.isReadOnly = true
            let store = try Store(at: source, records: [], options: options)
            defer { store.close() }
            try store.backup(to: work)
            return
        }
        do {
            try FileManager.default.copyItem(atPath: source + "/data.mdb", toPath: work + "/data.mdb")
        } catch {
            throw StoreError(.ioError, "\(source) cannot be copied: \(ErrorText.of(error))", cause: error)
        }
    }

    /// Opens the copy, which looks at the meta pages, the size, the format and the catalog.
    private func check(_ work: String) throws {
        var options = StoreOptions()
        options.isReadOnly = true
        try Store(at: work, records: [], options: options).close()
        _ = unsafe unlink(work + "/lock.mdb")
    }

    private func keepOwnership(of file: String) {
        let model = FileFacts(data)
        guard let owner = model ?? FileFacts(target) else { return }
        // Only root may give files away; for everybody else they are theirs anyway.
        if geteuid() == 0 { _ = unsafe chown(file, owner.owner, owner.group) }
        _ = unsafe chmod(file, model?.mode ?? 0o640)
    }

    /// The one step: the new file takes the name, while the old one keeps another until that is on disk.
    private func exchange(_ work: String) throws {
        let aside = work + "/replaced.mdb"
        let hadData = unsafe link(data, aside) == 0
        guard hadData || errno == ENOENT else { throw Self.failure("\(data) cannot be kept aside") }
        guard unsafe rename(work + "/data.mdb", data) == 0 else { throw Self.failure("\(data) cannot be replaced") }
        do {
            try Self.sync(target, O_RDONLY | O_DIRECTORY)
        } catch {
            if hadData { _ = unsafe rename(aside, data) } else { _ = unsafe unlink(data) }
            throw error
        }
    }

    private func removeLeftovers() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: target)) ?? []
        where name.hasPrefix(Self.workPrefix) {
            try? FileManager.default.removeItem(atPath: target + "/" + name)
        }
    }

    private static func sync(_ path: String, _ flags: Int32) throws(StoreError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("\(path) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("\(path) cannot be brought to disk") }
    }

    fileprivate static func failure(_ what: String) -> StoreError {
        let code = errno
        let kind: StoreError.Code =
            switch code {
            case ENOSPC, EDQUOT: .diskFull
            case EACCES, EPERM, EROFS: .accessDenied
            default: .ioError
            }
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return StoreError(kind, "\(what): \(reason)")
    }
}
