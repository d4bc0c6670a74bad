import Foundation
import ModelStore
import ModelStoreReplay
import ResealedTraces
import StoreEngine
import StoreRuntime
import TestSupport

/// Traces, as `replay` reads them. Most inputs have valid checksums, so that the frames are read.
struct TraceTarget: FuzzTarget {
    let inputs: Mutator
    private let folder: String
    /// Whether traces are replayed, which takes a store each time.
    private let replays: Bool

    /// - Parameter folder: where a trace with frames of all kinds is recorded.
    init(in folder: String, replays: Bool) async throws {
        self.folder = folder
        self.replays = replays
        let trace = folder + "/recorded.trace"
        if !FileManager.default.fileExists(atPath: trace) { try await Self.record(to: trace, in: folder) }
        let lines = try String(contentsOfFile: trace, encoding: .utf8)
        inputs = Mutator(
            texts: [lines],
            words: [
                "{\"commit\":", "{\"row\":", "{\"shown\":", "{\"subscribe\":", "{\"deliver\":", "{\"unsubscribe\":",
                "{\"open\":", "{\"close\":", "{\"advance\":", "{\"end\":", "{\"check\":", "\"insert\":", "\"update\":",
                "\"delete\":", "\"schema\":", "\"reset\":", "\"set\":", "\"was\":", "\"id\":", "\"rows\":",
                "\"count\":",
                "null", "-1", "true", "[]", "{}", "\n", "\"PT1S\"", "\"PT99999999999999999999S\"",
                "\"2026-01-02T03:04:05Z\"", "\"+999999999999-01-01T00:00:00Z\"",
            ])
    }

    /// Records a short run with subscriptions, scopes and changes of every kind.
    private static func record(to trace: String, in folder: String) async throws {
        let store = try Store.temporary(records: Item.self, Note.self)
        try await store.write { tx in
            for id in 0..<3 { try tx.insert(Item(id: id, name: "item \(id)", group: id % 2, text: "t")) }
        }
        let recorder = try await Recorder(store, to: trace)
        let scope = try store.scope("session")
        let query = try store.liveQuery(FetchRequest(Item.self).where { $0.group == 1 }.order { $0.name.ascending })
        var updates = query.updates.makeAsyncIterator()
        _ = try await updates.next()
        for step in 0..<3 {
            try await store.write { tx in
                try tx.insert(Item(id: 10 + step, name: "new \(step)", group: 1, text: "t"))
                try tx.upsert(Note(id: "note", text: String(repeating: "n", count: step)))
                try tx.delete(Item.self, id: step)
            }
            _ = try await updates.next()
        }
        recorder.clockAdvanced(by: .seconds(2))
        scope.close()
        _ = try await recorder.finish()
        store.close()
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) throws -> Bool {
        let path = folder + "/changed.trace"
        let isSealed = !random.oneIn(4)
        let bytes = isSealed ? Array(Resealed.text(String(decoding: input, as: UTF8.self)).utf8) : input
        try Data(bytes).write(to: URL(filePath: path))
        let isRead = try read(path, mayBeUnfinished: random.oneIn(2))
        return replays ? try replay(path, acceptsUnfinished: random.oneIn(2)) : isRead
    }

    /// Returns whether the trace is read to its end.
    private func read(_ path: String, mayBeUnfinished: Bool) throws -> Bool {
        do {
            let reader = try TraceReader(path: path, mayBeUnfinished: mayBeUnfinished)
            while let line = try reader.next() {
                let text = JSONWriter.text(of: line.frame.json)
                let again = try TraceFrame(JSONReader.read(text))
                guard again.map({ JSONWriter.text(of: $0.json) }) == text else {
                    throw Mismatch("line \(line.number) reads back as another frame: \(text)")
                }
            }
            return true
        } catch let error as StoreError {
            guard [.traceDamaged, .newerTrace].contains(error.code) else { throw error }
            return false
        }
    }

    /// Returns whether the trace is replayed to its end.
    private func replay(_ path: String, acceptsUnfinished: Bool) throws -> Bool {
        let directory = folder + "/replayed"
        try? FileManager.default.removeItem(atPath: directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var options = ReplayOptions()
        options.acceptsUnfinished = acceptsUnfinished
        if (try? Replayer.replay(path, into: directory, options: options)) == nil { return false }
        let store = try Store(at: directory, records: [])
        defer { store.close() }
        var findings: [String] = []
        _ = try store.verify { findings.append($0.message) }
        guard findings.isEmpty else { throw Mismatch("the replayed store is damaged: \(findings)") }
        return true
    }
}
