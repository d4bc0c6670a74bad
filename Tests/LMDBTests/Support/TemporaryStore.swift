import Foundation
import LMDB

/// A fresh directory that is removed with this value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "lmdb-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// An environment in a fresh directory, opened with the options for tests. It is closed and removed with this value.
final class TemporaryStore: Sendable {
    let directory: TemporaryDirectory
    let environment: LMDBEnvironment

    var path: String { directory.path }

    init(_ options: LMDBEnvironment.Options = .test) throws {
        directory = try TemporaryDirectory()
        environment = try LMDBEnvironment.open(at: directory.path, options: options)
    }

    deinit {
        environment.close()
    }
}

extension LMDBEnvironment.Options {
    /// Without syncs, because no test simulates a power failure.
    static var test: Self { Self(syncs: false) }
}

extension LMDBEnvironment {
    /// Opens on its own thread: the call may block for long, which a task must not do.
    ///
    /// - Parameter waiting: called when the open has waited for a second for another that opens or recovers the environment.
    static func openElsewhere(
        _ path: String, _ options: Options = .test, waiting: @escaping @Sendable () -> Void = {}
    ) async throws -> LMDBEnvironment {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try open(at: path, options: options, sharesAnyOptions: true, waiting: { _ in waiting() })
                    })
            }
        }
    }

    /// Stores entries in a database in one transaction. Creates the database if it does not exist.
    func store(_ entries: [(String, String)], in name: String = "test") throws {
        var transaction = try beginWrite()
        let database = try transaction.database(name)
        for (key, value) in entries {
            try transaction.put(database, key, value)
        }
        try transaction.commit()
    }

    /// Copies the newest commit to an empty directory, with its free pages.
    func copy(to directory: String) throws(LMDBError) {
        var copy = try beginCopy(to: directory)
        while try copy.advance() {}
    }

    /// Returns the value under a key in a new snapshot.
    func value(_ key: String, in name: String = "test") throws -> String? {
        let transaction = try beginRead()
        return try transaction.snapshot.value(key, in: name)
    }
}

extension LMDBSnapshot {
    func value(_ key: String, in name: String = "test") throws -> String? {
        guard let database = try openDatabase(named: name) else { return nil }
        guard let bytes = unsafe try get(database, key: key.bytes.span.bytes) else { return nil }
        return String(bytes)
    }
}

extension LMDBWriteTransaction {
    /// Returns a named database, and creates it if it does not exist.
    mutating func database(_ name: String = "test") throws -> LMDBDatabase {
        guard let database = try openDatabase(named: name, create: true) else {
            throw LMDBError(.notFound, operation: "openDatabase", detail: "asked to create it, and it is not there")
        }
        return database
    }

    @discardableResult
    mutating func put(
        _ database: LMDBDatabase, _ key: String, _ value: String, options: PutOptions = []
    ) throws(LMDBError) -> Bool {
        unsafe try put(database, key: key.bytes.span.bytes, value: value.bytes.span.bytes, options: options)
    }
}

extension LMDBCursor {
    @_lifetime(self: copy self)
    mutating func seek(atLeast key: String) throws(LMDBError) -> Bool {
        unsafe try seek(atLeast: key.bytes.span.bytes)
    }

    @_lifetime(self: copy self)
    mutating func seek(exactly key: String) throws(LMDBError) -> Bool {
        unsafe try seek(exactly: key.bytes.span.bytes)
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }

    init(_ bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
