import Foundation
import ModelStore

/// Measures the delay until a durable commit is delivered, in the writing process and in another process.
struct FeedDelivery {
    let directory: String
    let count: Int

    func run() async throws {
        let path = directory + "/delivery"
        let store = try Store(at: path, records: Beat.self)
        defer { store.close() }
        let other = try FollowerProcess(path, count: count)
        try other.waitUntilReady()
        let start = try store.position
        let count = count
        let reader = Task { () -> [Int] in
            var times: [Int] = []
            for try await _ in store.changes(since: start) {
                times.append(Monotonic.nanoseconds)
                if times.count == count { break }
            }
            return times
        }
        var begun: [Int] = []
        var committed: [Int] = []
        for number in 0..<count {
            begun.append(Monotonic.nanoseconds)
            try await store.write { tx in try tx.insert(Beat(id: number, nanoseconds: 0)) }
            committed.append(Monotonic.nanoseconds)
            // A pause, so that a delivery does not overlap with the next commit.
            try await Task.sleep(for: .microseconds(500))
        }
        let here = try await reader.value
        let there = try other.times()
        func report(_ name: String, _ from: [Int], _ to: [Int]) {
            print(
                "  \(name.padding(toLength: 44, withPad: " ", startingAt: 0))\(Durations(zip(from, to).map { $1 - $0 }).text)"
            )
        }
        print("\(count) durable commits, one after the other")
        report("the commit itself, as its writer sees it", begun, committed)
        report("from its begin to a reader in the process", begun, here)
        report("from its begin to a reader in another", begun, there)
        report("after the writer knows: reader in the process", committed, here)
        report("after the writer knows: reader in another", committed, there)
    }
}

/// The reader in another process. It prints the time at which each change set arrived.
struct FeedFollower {
    let path: String
    let count: Int

    func run() async throws {
        let store = try Store(at: path, records: Beat.self)
        defer { store.close() }
        var feed = store.changes(from: .newest).makeAsyncIterator()
        // Unbuffered, because the other process waits for it.
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        var times: [Int] = []
        while times.count < count, try await feed.next() != nil { times.append(Monotonic.nanoseconds) }
        for time in times { print(time) }
    }
}

/// A second process of this program, as a reader.
private struct FollowerProcess {
    private let process = Process()
    private let output = Pipe()

    init(_ path: String, count: Int) throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["feed", "--follow", path, "--durable", String(count)]
        process.standardOutput = output
        try process.run()
    }

    func waitUntilReady() throws {
        guard try output.fileHandleForReading.read(upToCount: 6) != nil else { throw BenchmarkError("no follower") }
    }

    func times() throws -> [Int] {
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").compactMap { Int($0) }
    }
}
