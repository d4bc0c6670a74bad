import Foundation
import LMDB
import StoreEngine
import Testing

@testable import StoreRuntime

@Suite struct OpeningTests {
    private static let a = Sensor(id: "a", room: "r", serial: "1")

    private func open(_ folder: StoreFolder, readOnly: Bool = false) throws -> Store {
        var options = StoreOptions()
        options.isReadOnly = readOnly
        return try Store(at: folder.path, records: Sensor.self, options: options)
    }

    @Test func `a second open shares the first one's writer and environment`() throws {
        let folder = try StoreFolder()
        let first = try open(folder)
        let second = try Store(at: folder.path, records: Slot.self)
        #expect(first.core === second.core)
        try second.write { tx in
            try tx.insert(Self.a)
            try tx.insert(Slot(room: "r", hour: 1))
        }
        first.close()
        #expect(storeError { try first.read { _ in } }?.code == .closed)
        #expect(try second.all(Sensor.self) == [Self.a])
        let third = try open(folder)
        #expect(third.core === second.core)
        second.close()
        #expect(try third.all(Sensor.self) == [Self.a])
        third.close()
    }

    @Test func `of the options of a second open only isReadOnly counts`() throws {
        let folder = try StoreFolder()
        let first = try open(folder)
        var options = StoreOptions()
        options.originName = "second"
        options.onEvent = { Issue.record("\($0) was reported to the second open") }
        let second = try Store(at: folder.path, records: Slot.self, options: options)
        let position = try second.write(returning: .position) { tx in _ = try tx.insert(Self.a) }.position
        #expect(try first.changeSet(position.sequence)?.origin.name == StoreOptions().originName)
        options.isReadOnly = true
        let third = try Store(at: folder.path, records: [], options: options)
        #expect(storeError { try third.write { _ in } }?.code == .readOnly)
        #expect(try third.all(Sensor.self) == [Self.a])
        for store in [first, second, third] { store.close() }
    }

    @Test func `a store that is open for reading only cannot be written and makes nothing`() throws {
        let folder = try StoreFolder()
        #expect(storeError { _ = try open(folder, readOnly: true) }?.code == .noSuchStore)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let writing = try open(folder)
        try writing.write { tx in _ = try tx.insert(Self.a) }
        writing.close()
        let reading = try open(folder, readOnly: true)
        #expect(try reading.all(Sensor.self) == [Self.a])
        #expect(storeError { try reading.write { _ in } }?.code == .readOnly)
        #expect(try reading.findings() == [])
        #expect(storeError { _ = try open(folder) }?.code == .inUse)
        reading.close()
        try open(folder).close()
    }

    @Test func `an environment of another program is refused and left as it is`() throws {
        let folder = try StoreFolder()
        try folder.tamper { raw in try raw.put("mine", [1], [2]) }
        #expect(storeError { _ = try open(folder) }?.code == .notAStore)
        #expect(storeError { _ = try open(folder, readOnly: true) }?.code == .notAStore)
        try folder.tamper { raw in
            let names = try raw.snapshot.entries(of: LMDBDatabase(handle: 1)).map {
                String(decoding: $0.key, as: UTF8.self)
            }
            #expect(names == ["mine"])
        }
    }

    @Test func `a directory with other files is not made a store, and the error names some of them`() throws {
        let folder = try StoreFolder()
        for name in ["notes.txt", "a.png", "b.png", "c.png"] {
            try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        let error = try #require(storeError { _ = try open(folder) })
        #expect(error.code == .notAStore)
        #expect(error.message == "\(folder.path) holds no store, but other files: a.png, b.png, c.png and 1 more")
        #expect(error.remedy == "choose an empty directory, or one that does not exist")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["a.png", "b.png", "c.png", "notes.txt"])
    }

    @Test func `hidden files, lost+found and the rest of a store without data do not keep a store from being made`()
        throws
    {
        let folder = try StoreFolder()
        try open(folder).close()
        // Without the data file, a redo log is an error.
        for name in ["data.mdb"] + RedoFiles.names {
            try FileManager.default.removeItem(atPath: folder.path + "/" + name)
        }
        try FileManager.default.createDirectory(
            atPath: folder.path + "/lost+found", withIntermediateDirectories: false)
        try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/.keep"))
        try open(folder).close()
        // A directory that contains a store may contain any other file.
        try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/notes.txt"))
        try open(folder).close()
    }

    @Test(arguments: ["lock.mdb", "feed.wake"] + RedoFiles.names)
    func `a file of another program under the name of a store's file keeps a store from being made`(
        name: String
    ) throws {
        let (folder, other) = (try StoreFolder(), try StoreFolder())
        let store = try open(other)
        defer { store.close() }
        let content = Data("precious\n".utf8)
        try content.write(to: URL(fileURLWithPath: folder.path + "/" + name))
        for make in [
            { _ = try open(folder) }, { try store.backup(to: folder.path) },
            { try store.backup(to: folder.path, compacting: true) },
            { try Store.restore(from: other.path, to: folder.path) },
        ] {
            let error = try #require(storeError(make))
            #expect(error.code == .notAStore)
            #expect(error.message.hasSuffix("holds no store, but other files: \(name)"), "\(error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)) == content)
        }
    }

    @Test(arguments: ["lock.mdb", "feed.wake", "redo.log"], [0, 4_096])
    func `an empty file, as an interrupted creation leaves it, does not keep a store from being made`(
        name: String, byteCount: Int
    ) throws {
        let folder = try StoreFolder()
        try Data(count: byteCount).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        try open(folder).close()
        try open(folder).close()
    }

    @Test func `a backup goes into no directory with other files, and beside hidden ones`() throws {
        let (folder, other) = (try StoreFolder(), try StoreFolder())
        let store = try open(other)
        defer { store.close() }
        try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/.keep"))
        try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/notes.txt"))
        let error = try #require(storeError { try store.backup(to: folder.path) })
        #expect(error.code == .notAStore && error.message.hasSuffix("other files: notes.txt"), "\(error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [".keep", "notes.txt"])
        try FileManager.default.removeItem(atPath: folder.path + "/notes.txt")
        try store.backup(to: folder.path)
    }

    @Test func `a directory that cannot be made is named with the system's reason, without a full stop inside`() throws
    {
        let error = try #require(storeError { _ = try Store(at: "/proc/store", records: Sensor.self) })
        #expect(error.code == .accessDenied)
        #expect(error.message == "the directory /proc/store cannot be created: No such file or directory")
        #expect(error.remedy == "create it, or choose another place")
    }

    @Test func `a file where the directory should be is refused`() throws {
        let folder = try StoreFolder()
        let file = folder.path + "/file"
        try Data([1]).write(to: URL(fileURLWithPath: file))
        #expect(storeError { _ = try Store(at: file, records: Sensor.self) }?.code == .notAStore)
    }

    @Test func `a newer format is refused, for writing and for reading`() throws {
        let sample = try SampleStore()
        try sample.folder.tamper { raw in
            try raw.put(SampleStore.metadata, MetadataKey.format, KeyBytes.little(StoreFormat.version + 1))
        }
        for readOnly in [false, true] {
            let error = storeError { _ = try open(sample.folder, readOnly: readOnly) }
            #expect(error?.code == .newerFormat)
            #expect(error?.remedy != nil)
        }
    }

    @Test(
        arguments: [
            MetadataKey.format, MetadataKey.identity, MetadataKey.head, MetadataKey.catalogVersion,
            MetadataKey.keySecret,
        ])
    func `a store whose metadata is damaged says so`(key: [UInt8]) throws {
        let sample = try SampleStore()
        try sample.folder.tamper { raw in try raw.delete(SampleStore.metadata, key) }
        let error = storeError { _ = try open(sample.folder) }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains(String(decoding: key, as: UTF8.self)) == true)
    }

    @Test func `a schema that differs is refused with all differences`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: [])
        let schema = RecordSchema(
            name: "Sensor",
            fields: [
                FieldSchema("id", String.self), FieldSchema("room", Int.self), FieldSchema("extra", Bool.self),
            ],
            id: IDSchema([0]), indexes: [IndexSchema([1], isUnique: true)])
        try store.addTypes([schema])
        store.close()
        let error = try #require(storeError { _ = try open(folder) })
        #expect(error.code == .schemaMismatch)
        for part in ["field room is int64 in the store and string", "field serial: string is not in the store"] {
            #expect(error.message.contains(part), "\(error.message)")
        }
    }

    @Test func `record types that need more databases than the option allows are refused with its name`() throws {
        let folder = try StoreFolder()
        var options = StoreOptions()
        // The limit leaves too little room for the databases of the record type beside the store's own.
        options.maximumDatabases = 5
        let error = try #require(
            storeError { _ = try Store(at: folder.path, records: Sensor.self, options: options) })
        #expect(error.code == .tooManyDatabases)
        #expect(error.remedy?.contains("maximumDatabases") == true)
        try Store(at: folder.path, records: Sensor.self).close()
    }

    @Test func `a store's directory is made, and none above it`() throws {
        let folder = try StoreFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/a", withIntermediateDirectories: false)
        let store = try Store(at: folder.path + "/a/b", records: Sensor.self)
        defer { store.close() }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/a/b/data.mdb"))
        let path = folder.path + "/a/x/y/z"
        for make in [
            { try Store(at: path, records: Sensor.self).close() }, { try store.backup(to: path) },
            { try Store.restore(from: store.path, to: path) },
        ] {
            let error = try #require(storeError(make))
            #expect(error.code == .noSuchStore)
            #expect(
                error.message == "the directory \(path) cannot be created: there is no directory \(folder.path)/a/x")
            #expect(error.remedy == "check the path, or create its parent directories first")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/a/x"))
    }

    @Test func `a store whose making was cut short is made by the next open, and named by one that reads`() throws {
        let folder = try StoreFolder()
        try Data(count: 4_096).write(to: URL(fileURLWithPath: StoreDirectory.dataFile(folder.path)))
        let error = try #require(storeError { _ = try open(folder, readOnly: true) })
        #expect(error.code == .noSuchStore)
        #expect(error.message.contains("interrupted"))
        let store = try open(folder)
        try store.write { tx in _ = try tx.insert(Self.a) }
        store.close()
        #expect(try folder.findings() == [])
    }

    @Test func `a temporary store is gone when it is closed`() throws {
        let store = try Store.temporary(records: Sensor.self)
        #expect(FileManager.default.fileExists(atPath: store.path + "/data.mdb"))
        store.close()
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test func `a damaged record fails its read, with its place, and no other`() throws {
        let sample = try SampleStore()
        try sample.folder.tamper { raw in
            try raw.change(SampleStore.sensors, KeyBytes.of("s2")) { $0[$0.count - 1] ^= 1 }
        }
        let store = try open(sample.folder)
        let error = storeError { _ = try store.get(Sensor.self, id: "s2") }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("Sensor") == true)
        #expect(try store.get(Sensor.self, id: "s1")?.id == "s1")
        // An update needs the old content to move its index entries.
        let update = storeError { try store.write { tx in try tx.update(Sensor(id: "s2", room: "r", serial: "n")) } }
        #expect(update?.code == .damaged)
        store.close()
    }
}
