import Foundation
import ModelStore
import ModelStoreReplay
import ResealedTraces
import Testing

@testable import ModelStoreTesting

@Suite("Expecting a replay") struct ExpectReplayTests {
    /// Calls the public function's implementation with a given environment.
    private func replay(
        _ folder: Folder, environment: [String: String], record: @escaping (String) async throws -> Void
    ) async throws -> ReplaySummary? {
        try await expectReplay(
            "t", options: ReplayOptions(), filePath: folder.file("Tests.swift"), sourceLocation: #_sourceLocation,
            environment: environment, record: record)
    }

    private func write(_ path: String, ticketCount: Int) async throws {
        let store = try Store.temporary(records: Ticket.self)
        let recorder = try await Recorder(store, to: path)
        for number in 0..<ticketCount { try await store.send(AddTicket(text: "\(number)")) }
        try await recorder.finish()
    }

    @Test func `RECORD=1 has the trace made anew, beside the test, and nothing else has`() async throws {
        let folder = try Folder()
        for (environment, wanted) in [(["RECORD": "1"], 1), (["RECORD": "0"], 1), ([:], 1), (["RECORD": "1"], 4)] {
            let summary = try await replay(folder, environment: environment) { path in
                try await write(path, ticketCount: FileManager.default.fileExists(atPath: folder.file("t")) ? 4 : 1)
            }
            #expect(summary?.changeSetCount == wanted, "\(environment)")
        }
    }

    @Test func `A replay that diverges fails the test, with the place`() async throws {
        let folder = try Folder()
        try await write(folder.file("t"), ticketCount: 3)
        let text = try String(decoding: folder.read("t"), as: UTF8.self)
        try folder.write(Resealed.text(text.replacing(#""text":"1 "#, with: #""text":"one "#)).utf8, to: "t")
        try await withKnownIssue {
            let summary = try await expectReplay(folder.file("t"))
            #expect(summary == nil)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("the replay diverges at line") }
        }
    }
}
