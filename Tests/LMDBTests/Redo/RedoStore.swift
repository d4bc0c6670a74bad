import Foundation

@testable import LMDB

/// A store with a redo log in a fresh directory, and copies of its files as a crash leaves them.
final class RedoStore {
    static let files = ["data.mdb"] + RedoFiles.names

    let directory: TemporaryDirectory
    private var opened: [LMDBEnvironment] = []

    var path: String { directory.path }

    /// Makes an empty store, which is closed.
    init() throws {
        directory = try TemporaryDirectory()
        try LMDBEnvironment.open(at: directory.path).close()
        try RedoFiles.create(in: directory.path)
    }

    /// Copies files, by default all of a store, as a process that is killed leaves them.
    init(crashOf other: RedoStore, _ names: [String] = files) throws {
        directory = try TemporaryDirectory()
        for name in names { try take(name, from: other) }
    }

    deinit {
        for environment in opened { environment.close() }
    }

    /// Opens the store. The caller closes it, which also keeps this value alive until then.
    func open(_ options: LMDBEnvironment.Options = LMDBEnvironment.Options()) throws -> LMDBEnvironment {
        let environment = try LMDBEnvironment.open(at: path, options: options)
        opened.append(environment)
        return environment
    }

    /// Opens the store, reads a value, and closes it.
    func value(with options: LMDBEnvironment.Options = LMDBEnvironment.Options(), _ key: String) throws -> String? {
        let environment = try open(options)
        defer { close() }
        return try environment.value(key)
    }

    /// Closes the last open.
    func close() { opened.popLast()?.close() }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(name))) }

    /// All files of the directory but the lock file, with their bytes.
    func everything() throws -> [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock.mdb" {
            all[name] = try bytes(name)
        }
        return all
    }

    func change(_ name: String, _ body: (inout [UInt8]) throws -> Void) throws {
        var bytes = try bytes(name)
        try body(&bytes)
        try Data(bytes).write(to: url(name))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: url(name)) }

    /// Replaces a file by that of another store.
    func take(_ name: String, from other: RedoStore) throws {
        try? FileManager.default.removeItem(at: url(name))
        try FileManager.default.copyItem(at: other.url(name), to: url(name))
    }

    /// The length of the entries since the last checkpoint, in bytes.
    func logByteCount() throws -> Int {
        let found = try ExaminedFiles(in: path, readsLog: true)
        guard let entries = found.entries else { return 0 }
        return Int(entries.tail.address - entries.record.tail.address)
    }
}

extension RedoStore {
    /// Opens the files as a process does that finds them in use, so that nothing is recovered.
    func openInUse(_ options: LMDBEnvironment.Options) throws -> LMDBEnvironment {
        let mark = try UseMark(in: path)
        let other = try ForeignProcess()
        try other.ask("open \(path) 1073741824")
        defer {
            other.kill()
            mark?.end()
        }
        return try open(options)
    }
}
