import Foundation
import Glibc
import ModelStore
import Testing

@testable import ModelStoreReplay

@Suite("Where traces are written") struct TraceOutputTests {
    private let folder: Folder
    private let store: Store

    init() async throws {
        folder = try Folder()
        var options = StoreOptions()
        options.fileMode = 0o600
        store = try Store(at: folder.file("store"), records: Ticket.self, options: options)
        try await store.send(AddTicket(text: "a"))
    }

    private func text(_ name: String) throws -> String { try String(decoding: folder.read(name), as: UTF8.self) }

    private func expectOnly(_ names: Set<String>) throws {
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == names.union(["store"]))
    }

    @Test func `An existing file is an error, and stays as it is`() async throws {
        try folder.write("kept".utf8, to: "t")
        let path = folder.file("t")
        let written = #expect(throws: StoreError.self) { try store.record(to: path) }
        let attached = await #expect(throws: StoreError.self) { _ = try await Recorder(store, to: path) }
        for error in [written, attached] {
            #expect(error?.code == .traceExists && error?.description.contains("--replace") == true)
        }
        #expect(try text("t") == "kept")
        try expectOnly(["t"])
    }

    @Test func `A replaced trace is there until the new one is whole`() async throws {
        try store.record(to: folder.file("t"))
        let before = try text("t")
        var failing = RecordingOptions.replacing
        failing.redactedFields = ["Ticket.nothing"]
        #expect(throws: StoreError.self) { try store.record(to: folder.file("t"), options: failing) }
        #expect(try text("t") == before)
        try store.record(to: folder.file("t"), options: .replacing)
        try expectOnly(["t"])
        #expect(try await Replayer.replay(folder.file("t")).hasEqualHashes)
        let recorder = try await Recorder(store, to: folder.file("t"), options: .replacing)
        try await store.send(AddTicket(text: "b"))
        #expect(try await recorder.finish().changeSetCount == 1)
        #expect(try await Replayer.replay(folder.file("t")).changeSetCount == 1)
    }

    @Test(arguments: [0o666, 0o644]) func `A trace has the mode of the store, whatever it replaces`(
        mode: UInt32
    ) throws {
        try store.record(to: folder.file("t"))
        #expect(unsafe chmod(folder.file("t"), mode) == 0)
        for name in ["t", "new"] {
            try store.record(to: folder.file(name), options: .replacing)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test(arguments: ["kept", "{\"trace\":\"a\"}\n", "{\"trace\":", "\n{\"trace\":1}\n", "\0"])
    func `A file that is no trace is not replaced`(content: String) async throws {
        try folder.write(content.utf8, to: "t")
        let path = folder.file("t")
        let written = #expect(throws: StoreError.self) { try store.record(to: path, options: .replacing) }
        let attached = await #expect(throws: StoreError.self) {
            _ = try await Recorder(store, to: path, options: .replacing)
        }
        for error in [written, attached] {
            #expect(error?.code == .traceExists && error?.message.hasSuffix("exists, and is no trace") == true)
        }
        #expect(try text("t") == content)
        try expectOnly(["t"])
    }

    @Test func `An empty file and an unfinished or newer trace are replaced`() async throws {
        for content in ["", "{\"trace\":2,\"by\"", "{\"trace\":99}\n"] {
            try folder.write(content.utf8, to: "t")
            try store.record(to: folder.file("t"), options: .replacing)
            #expect(try await Replayer.replay(folder.file("t")).hasEqualHashes)
        }
    }

    @Test(arguments: ["data.mdb", "redo.log", "new.trace"], [true, false])
    func `No trace is written into the directory of a store`(name: String, replaces: Bool) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("store")).sorted()
        var options = RecordingOptions()
        options.replacesFile = replaces
        let error = #expect(throws: StoreError.self) {
            try store.record(to: folder.file("store/" + name), options: options)
        }
        #expect(error?.code == .invalidValue)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("store")).sorted() == files)
        #expect(try store.count(Ticket.self) == 1)
    }

    @Test(arguments: ["target", "missing"]) func `A link is not followed`(target: String) throws {
        try folder.write("kept".utf8, to: "target")
        #expect(unsafe symlink(folder.file(target), folder.file("t")) == 0)
        let error = #expect(throws: StoreError.self) { try store.record(to: folder.file("t")) }
        #expect(error?.code == .traceExists)
        try store.record(to: folder.file("t"), options: .replacing)
        #expect(try text("t").hasPrefix(#"{"trace""#) && text("target") == "kept")
        try expectOnly(["t", "target"])
    }

    @Test(arguments: [false, true])
    func `A file that another program creates meanwhile is not replaced`(replaces: Bool) async throws {
        do {
            let output = try TraceOutput(folder.file("t"), replaces: replaces, like: folder.file("store/data.mdb"))
            try folder.write("theirs".utf8, to: "t")
            do {
                try output.publish()
                Issue.record("the file was replaced")
            } catch {
                #expect(error.code == .traceExists)
            }
        }
        #expect(try text("t") == "theirs")
        try expectOnly(["t"])
    }
}
