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

    @Test func `A replaced file is there until the trace is whole`() async throws {
        try folder.write("kept".utf8, to: "t")
        var failing = RecordingOptions.replacing
        failing.redactedFields = ["Ticket.nothing"]
        #expect(throws: StoreError.self) { try store.record(to: folder.file("t"), options: failing) }
        #expect(try text("t") == "kept")
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
        try folder.write("old".utf8, to: "t")
        #expect(unsafe chmod(folder.file("t"), mode) == 0)
        for name in ["t", "new"] {
            try store.record(to: folder.file(name), options: .replacing)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
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

    @Test func `A file that another program creates meanwhile is not replaced`() async throws {
        do {
            let output = try TraceOutput(folder.file("t"), replaces: false, like: folder.file("store/data.mdb"))
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
