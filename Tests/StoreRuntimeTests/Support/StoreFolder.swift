import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// A fresh directory for a store. It is removed with this value.
final class StoreFolder: Sendable {
    let path: String

    init() throws {
        let shared = "/dev/shm"
        let base = FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
        path = base + "/modelstore-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the findings of `verify` for the store in this folder.
    func findings() throws -> [VerifyFinding] {
        var found: [VerifyFinding] = []
        try Store.verify(at: path) { found.append($0) }
        return found
    }

    /// Runs `body` in a raw LMDB transaction, as a foreign program would, and commits it.
    func tamper(_ body: (inout LMDBWriteTransaction) throws -> Void) throws {
        let environment = try LMDBEnvironment.open(at: path, options: LMDBEnvironment.Options(syncs: false))
        defer { environment.close() }
        var raw = try environment.beginWrite()
        try body(&raw)
        try raw.commit()
    }
}

/// An entry of a database.
struct RawEntry: Hashable {
    var key: [UInt8]
    var value: [UInt8]
}

extension LMDBSnapshot {
    /// Returns all entries of a database.
    func entries(of name: String) throws -> [RawEntry] {
        guard let database = try openDatabase(named: name) else { throw StoreError(.other, "no database \(name)") }
        return try entries(of: database)
    }

    /// Returns all entries of a database.
    func entries(of database: LMDBDatabase) throws -> [RawEntry] {
        var entries: [RawEntry] = []
        var cursor = try openCursor(database)
        var isPositioned = try cursor.first()
        while isPositioned {
            entries.append(RawEntry(key: cursor.key.array(), value: cursor.value.array()))
            isPositioned = try cursor.next()
        }
        return entries
    }
}

extension LMDBWriteTransaction {
    /// Puts an entry into a database, which it creates if missing.
    mutating func put(_ name: String, _ key: [UInt8], _ value: [UInt8]) throws {
        guard let database = try openDatabase(named: name, create: true) else {
            throw StoreError(.other, "no database \(name)")
        }
        unsafe try put(database, key: key.span.bytes, value: value.span.bytes)
    }

    /// Deletes an entry that must exist.
    mutating func delete(_ name: String, _ key: [UInt8]) throws {
        guard let database = try openDatabase(named: name, create: false),
            unsafe try delete(database, key: key.span.bytes)
        else { throw StoreError(.other, "no entry in \(name)") }
    }

    /// Returns the value under a key.
    func value(_ name: String, _ key: [UInt8]) throws -> [UInt8] {
        guard let entry = try snapshot.entries(of: name).first(where: { $0.key == key }) else {
            throw StoreError(.other, "no entry in \(name)")
        }
        return entry.value
    }

    /// Changes the value under a key.
    mutating func change(_ name: String, _ key: [UInt8], _ body: (inout [UInt8]) throws -> Void) throws {
        var value = try value(name, key)
        try body(&value)
        try put(name, key, value)
    }
}
