import Foundation
import ResealedTraces
import StoreEngine
import Testing

@testable import ModelStoreReplay

@Suite("Writing traces") struct TraceWriterTests {
    private static let start = Position(store: UUID(), epoch: 1, sequence: 0, hash: 0)

    private func writer(_ path: String, limit: Int = TraceFile.maximumLineByteCount) throws -> TraceWriter {
        try TraceWriter(
            path: path, replaces: false, like: path,
            TraceHeader(start: Self.start, types: [], assignedIDs: [], rowCount: 0, content: 0, redacted: []),
            maximumLineByteCount: limit)
    }

    private func commit(_ sequence: UInt64, textOf count: Int) -> TraceFrame {
        let record = JSONValue.object([JSONMember("text", .string(String(repeating: "x", count: count)))])
        return .commit(
            TraceCommit(
                sequence: sequence, time: Date(timeIntervalSinceReferenceDate: 0), originName: "test", processID: 1,
                epoch: 1, hash: 1, action: nil, changes: [.insert(type: "Ticket", record: record)]))
    }

    @Test func `A change set that no reader would take is not recorded`() throws {
        let folder = try Folder()
        let writer = try writer(folder.file("t"), limit: 10_000)
        try writer.append(commit(1, textOf: 9_000))
        let error = #expect(throws: StoreError.self) { try writer.append(commit(2, textOf: 10_000)) }
        #expect(error?.code == .notRecordable && error?.message.contains("change set 2") == true)
    }

    @Test(arguments: [true, false]) func `Frames of a kind that a later library writes are left out`(
        isUnfinished: Bool
    ) throws {
        let folder = try Folder()
        let writer = try writer(folder.file("t"))
        for number in 0..<3 { try writer.append(number == 1 ? .closed("later") : .unsubscribed(number)) }
        if isUnfinished { try writer.flush() } else { try writer.finish(at: Self.start, content: nil) }
        let text = try String(decoding: folder.read("t"), as: UTF8.self).replacing(#"{"close":"#, with: #"{"later":"#)
        try folder.write((isUnfinished ? text : Resealed.text(text)).utf8, to: "later")
        let reader = try TraceReader(path: folder.file("later"), mayBeUnfinished: true)
        var numbers: [Int] = []
        while let line = try reader.next() {
            if case .unsubscribed(let number) = line.frame { numbers.append(number) }
        }
        #expect(numbers == [0, 2] && reader.isUnfinished == isUnfinished)
    }

    @Test func `The header says which version of the library wrote it`() throws {
        let folder = try Folder()
        try writer(folder.file("t")).finish(at: Self.start, content: nil)
        let text = try String(decoding: folder.read("t"), as: UTF8.self)
        #expect(text.hasPrefix(#"{"trace":2,"by":"ModelStore \#(LibraryVersion.text)","#))
        let json = try JSONReader.read(String(text.prefix { $0 != "\n" }).replacing(LibraryVersion.text, with: "9.9"))
        #expect(try TraceHeader(json).writer == "ModelStore 9.9")
    }

    @Test func `A frame that nests deeper than a reader follows is not recorded`() throws {
        let folder = try Folder()
        let writer = try writer(folder.file("t"))
        func frame(_ depth: Int) -> TraceFrame {
            let value = (0..<depth).reduce(JSONValue.null) { inner, _ in .array([inner]) }
            return .row(TraceRow(typeName: "Ticket", incarnation: 1, record: .object([JSONMember("text", value)])))
        }
        // The line and the record add two levels.
        try writer.append(frame(510))
        let error = #expect(throws: StoreError.self) { try writer.append(frame(511)) }
        #expect(error?.code == .notRecordable && error?.message.contains("513 levels") == true)
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
