import Foundation
import StoreEngine
import Testing

@testable import ModelStoreReplay

@Suite("Writing traces") struct TraceWriterTests {
    private static let start = Position(store: UUID(), epoch: 1, sequence: 0, hash: 0)

    private func writer(_ path: String) throws -> TraceWriter {
        try TraceWriter(
            path: path,
            TraceHeader(start: Self.start, types: [], assignedIDs: [], rowCount: 0, content: 0, redacted: []))
    }

    @Test func `Where chunks end does not depend on when what there is was written`() throws {
        let folder = try Folder()
        for (name, flushes) in [("a", false), ("b", true)] {
            let writer = try writer(folder.file(name))
            for number in 0..<600 {
                try writer.append(.unsubscribed(number))
                guard flushes else { continue }
                try writer.flush()
                let text = try String(decoding: folder.read(name), as: UTF8.self)
                #expect(text.contains("{\"unsubscribe\":\(number)}\n"))
            }
            try writer.finish(at: Self.start, content: nil)
            #expect(try writer.byteCount == folder.read(name).count)
        }
        #expect(try folder.read("a") == folder.read("b"))
        #expect(try TraceFrames.readAll(folder.file("b")) == 600)
    }
}
