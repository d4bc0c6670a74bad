import Foundation
import ModelStore
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import ModelStoreReplay

@Suite("Replays of large change sets") struct LargeTraceTests {
    private static let mebibyte = 1 << 20

    /// A sixteenth of a replay's read-ahead limits.
    private static let limits = TracePrefetch.Limits(
        portion: (lines: 256, bytes: mebibyte / 16), all: (portions: 16, bytes: mebibyte))

    /// Records a trace of large change sets.
    private func record(_ count: Int, of byteCount: Int, to path: String) async throws {
        let store = try Store.temporary(records: Ticket.self)
        let recorder = try await Recorder(store, to: path)
        for number in 0..<count {
            let text = String(repeating: "\(number % 10)", count: byteCount)
            try await store.write { try $0.insert(Ticket(text: text)) }
        }
        try await recorder.finish()
    }

    @Test func `Of the change sets that were made last, no more are held than may be`() {
        var recent = RecentCommits()
        for number in 1...40 {
            let commit = TraceCommit(
                sequence: UInt64(number), time: Date(timeIntervalSinceReferenceDate: 0), originName: "test",
                processID: 1, epoch: 1, hash: nil, action: nil, changes: [.insert(type: "Ticket", record: .null)])
            recent.append(commit, line: number, byteCount: Self.mebibyte)
        }
        #expect(recent.count == 8 && recent.last?.line == 40)
        #expect(recent.after(30, changing: ["Ticket"]).map(\.line) == Array(33...40))
    }

    @Test func `As many bytes are read ahead as may be, and no more`() async throws {
        let folder = try Folder()
        try await record(24, of: Self.limits.portion.bytes, to: folder.file("t"))
        let prefetch = try TracePrefetch(TraceReader(path: folder.file("t")), limits: Self.limits)
        var lineCount = 0
        while true {
            // The thread rests at its limit, or has read everything.
            while lineCount < 4, !prefetch.readAhead.isFull { try await nextTurn() }
            let byteCount = prefetch.readAhead.byteCount
            #expect(byteCount < Self.limits.all.bytes + 2 * Self.limits.portion.bytes)
            guard case .lines(let lines) = prefetch.next() else { break }
            lineCount += lines.count
        }
        #expect(lineCount == 24)
        #expect(prefetch.readAhead.byteCount == 0)
    }

    @Test func `A thread that rests at its limit ends when it is told to`() async throws {
        let folder = try Folder()
        try await record(18, of: Self.limits.portion.bytes, to: folder.file("t"))
        weak var known: TracePrefetch?
        do {
            let prefetch = try TracePrefetch(TraceReader(path: folder.file("t")), limits: Self.limits)
            known = prefetch
            while !prefetch.readAhead.isFull { try await nextTurn() }
            prefetch.stop()
        }
        // The thread held the last reference.
        while known != nil { try await nextTurn() }
    }

    @Test func `Large change sets are made a few at a time`() async throws {
        let folder = try Folder()
        try await record(10, of: Self.mebibyte, to: folder.file("t"))
        let told = Mutex<[Int]>([])
        var options = ReplayOptions()
        options.onProgress = { count in told.withLock { $0.append(count) } }
        try await Replayer.replay(folder.file("t"), options: options)
        #expect(told.withLock { $0 } == [8, 10])
    }
}
