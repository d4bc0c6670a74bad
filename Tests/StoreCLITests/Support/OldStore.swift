import Foundation
import LMDB
import StoreEngine

/// The content of a closed store, as a program sees it that knows only one format.
struct OldStore {
    /// The version of the format.
    let format: UInt32
    /// The files of the store's directory.
    let files: Set<String>
    /// The entries of each database, by its name.
    private var entries: [String: [(key: [UInt8], value: [UInt8])]] = [:]

    /// Reads a copy of the store, so that the store stays as it is.
    init(_ path: String) throws {
        files = Set(try FileManager.default.contentsOfDirectory(atPath: path))
        let copy = try Tool()
        for file in files where file != "lock.mdb" && file != "feed.wake" {
            try FileManager.default.copyItem(atPath: path + "/" + file, toPath: copy.path(file))
        }
        let environment = try LMDBEnvironment.open(
            at: copy.folder, options: LMDBEnvironment.Options(maximumDatabases: 256, isReadOnly: true))
        defer { environment.close() }
        let raw = try environment.beginRead()
        var number: UInt32 = 0
        for name in try Self.entries(of: LMDBDatabase(handle: 1), raw.snapshot).map(\.key) {
            let name = String(decoding: name, as: UTF8.self)
            guard let database = try raw.snapshot.openDatabase(named: name) else { continue }
            entries[name] = try Self.entries(of: database, raw.snapshot)
        }
        for entry in entries["metadata"] ?? [] where entry.key == MetadataKey.format {
            number = entry.value.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        format = number
    }

    private static func entries(
        of database: LMDBDatabase, _ snapshot: LMDBSnapshot
    ) throws -> [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        var cursor = try snapshot.openCursor(database)
        var isPositioned = try cursor.first()
        while isPositioned {
            entries.append((cursor.key.array(), cursor.value.array()))
            isPositioned = try cursor.next()
        }
        return entries
    }

    /// The parts of the store that format 1 does not describe, and a program of that format cannot read or would report.
    var partsWithoutFirstFormat: [String] {
        get throws {
            var found: [String] = []
            let databases = ["metadata", "catalog", "feed", "consumers"]
            for name in entries.keys.sorted() where !databases.contains(name) {
                if !name.hasPrefix("records."), !name.hasPrefix("index.") { found.append("the database \(name)") }
            }
            let keys = ["format", "identity", "catalog", "head", "home"]
            for entry in entries["metadata"] ?? [] {
                let key = String(decoding: entry.key, as: UTF8.self)
                if !keys.contains(key), !key.hasPrefix("assigned.") { found.append("the metadata \(key)") }
            }
            for entry in entries["catalog"] ?? [] {
                found += try Self.strangeMembers(of: Data(entry.value.dropFirst(8)))
            }
            for entry in entries["feed"] ?? [] where entry.key.suffix(4) == [0, 0, 0, 0] {
                // After the hash and the mark of the last fragment: the format of the entry, and its flags.
                if Array(entry.value[9...10]) != [1, 0] { found.append("the feed entry \(entry.key)") }
            }
            return found
        }
    }

    private static func strangeMembers(of json: Data) throws -> [String] {
        let known: [String: Set<String>] = [
            "": [
                "id", "name", "version", "fields", "idFields", "assignsIDs", "indexes", "earlierVersions",
                "nextFieldID", "nextIndexID",
            ],
            "fields": ["id", "schema"], "indexes": ["id", "fields", "isUnique"], "earlierVersions": [],
        ]
        guard let type = try JSONSerialization.jsonObject(with: json) as? [String: Any] else { return ["an entry"] }
        var found = Set(type.keys).subtracting(known[""] ?? []).map { "the member \($0)" }
        for (list, members) in known where !list.isEmpty {
            for part in type[list] as? [[String: Any]] ?? [] {
                found += Set(part.keys).subtracting(members).map { "the member \($0) of \(list)" }
            }
        }
        if String(decoding: json, as: UTF8.self).contains("\"reference\"") { found.append("a reference") }
        return found.sorted()
    }
}
