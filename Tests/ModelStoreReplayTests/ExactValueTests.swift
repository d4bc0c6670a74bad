import Foundation
import ModelStore
import ModelStoreReplay
import ResealedTraces
import Testing

@Record private struct Reading {
    @ID var id: Int
    var double: Double
    var float: Float
    var date: Date
}

/// A type that is only `Codable`, so its field is stored as Foundation's JSON.
private struct Extra: Codable, Equatable, Sendable {
    var raw: String?
    var texts: [String]?
}

/// A value with a given nesting depth.
private struct Nest: Codable, Equatable, Sendable {
    var inner: [Nest] = []

    init(depth: Int) { if depth > 0 { inner = [Nest(depth: depth - 1)] } }
}

@Record private struct Box {
    @ID var id: Int
    var extra: Extra = Extra()
    var nest: Nest = Nest(depth: 0)
}

@Suite("Values in traces, byte for byte") struct ExactValueTests {
    /// The arguments are the NaN that x86-64 computes for `0.0 / 0.0`, and a NaN with a payload.
    @Test(arguments: [0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_1234] as [UInt64])
    func `What is no number keeps its bits, in rows and in change sets`(bits: UInt64) async throws {
        let (store, folder) = (try Store.temporary(records: Reading.self), try Folder())
        let double = Double(bitPattern: bits)
        let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32) | 7)
        func reading(_ id: Int) -> Reading {
            Reading(id: id, double: double, float: float, date: Date(timeIntervalSinceReferenceDate: double))
        }
        try await store.write { [reading = reading(1)] in try $0.insert(reading) }
        let recorder = try await Recorder(store, to: folder.file("t"))
        try await store.write { [reading = reading(2)] in try $0.insert(reading) }
        try await store.write { try $0.update(Reading.self, id: 1) { $0.double = .nan } }
        try await recorder.finish()
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(summary.hasEqualHashes && summary.changeSetCount == 2)
        let replayed = try Store(at: folder.file("store"), records: Reading.self)
        let found = try #require(try replayed.read { try $0.get(Reading.self, id: 2) })
        #expect(found.double.bitPattern == bits && found.float.bitPattern == float.bitPattern)
        replayed.close()
    }

    private static let extras = [
        Extra(texts: ["\u{1B}[1m", "é", "/", "\u{7F}\u{0}\n"]), Extra(raw: "looks like it"),
        Extra(raw: #"{"raw":"twice"}"#), Extra(raw: "not alone", texts: []), Extra(),
    ]

    @Test func `What is only Codable keeps its text, in rows, change sets and deliveries`() async throws {
        let (store, folder) = (try Store.temporary(records: Box.self), try Folder())
        try await store.write { tx in
            for (id, extra) in Self.extras.enumerated() { try tx.insert(Box(id: id, extra: extra)) }
        }
        let recorder = try await Recorder(store, to: folder.file("t"))
        var updates = store.updates(of: FetchRequest<Box>()).makeAsyncIterator()
        _ = try await updates.next()
        try await store.write { tx in
            for (id, extra) in Self.extras.enumerated() { try tx.insert(Box(id: id + 100, extra: extra)) }
            try tx.update(Box.self, id: 0) { $0.extra = Extra(texts: ["\u{1F}"]) }
        }
        _ = try await updates.next()
        try await recorder.finish()
        let text = try String(decoding: folder.read("t"), as: UTF8.self)
        #expect(text.contains(#"{"raw":"{\"texts\":[\"\\u001b[1m\""#), "\(text)")
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(summary.hasEqualHashes && summary.changeSetCount == 1 && summary.deliveryCount == 2)
        let replayed = try Store(at: folder.file("store"), records: Box.self)
        let found = try replayed.read { try $0.fetch(Box.where { $0.id >= 100 }.order { $0.id.ascending }) }
        #expect(found.map(\.extra) == Self.extras)
        replayed.close()
    }

    @Test func `JSON that nests nearly as deep as it may is recorded`() async throws {
        let (store, folder) = (try Store.temporary(records: Box.self), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        // Each level is an object and an array.
        try await store.write { try $0.insert(Box(id: 1, nest: Nest(depth: 254))) }
        try await recorder.finish()
        #expect(try await Replayer.replay(folder.file("t")).hasEqualHashes)
    }

    @Test func `In a trace of the first form an object is what it looks like`() async throws {
        let (store, folder) = (try Store.temporary(records: Box.self), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        try await store.write { try $0.insert(Box(id: 1, extra: Extra(raw: "plain"))) }
        try await recorder.finish()
        let text = try String(decoding: folder.read("t"), as: UTF8.self)
            .replacing(#"{"trace":2,"#, with: #"{"trace":1,"#)
            .replacing(#""extra":{"raw":"{\"raw\":\"plain\"}"}"#, with: #""extra":{"raw":"plain"}"#)
        #expect(text.contains(#""extra":{"raw":"plain"}"#) && text.contains(#"{"trace":1"#))
        try folder.write(Resealed.text(text).utf8, to: "first")
        #expect(try await Replayer.replay(folder.file("first")).hasEqualHashes)
    }
}
