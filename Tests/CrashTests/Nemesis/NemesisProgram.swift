import ChildPrograms
import Foundation

/// A writer or a follower of the feed, which the test starts again after it has ended.
final class NemesisProgram {
    /// The work of a program.
    enum Role {
        /// Writes the items of a lane.
        case writer(lane: String)
        /// Follows the feed.
        case follower
    }

    let role: Role
    /// The newest number of the lane that was acknowledged, also before the program was started again.
    private(set) var acknowledged = 0
    /// The position that the follower has reached, with the lanes there.
    private(set) var reached: [String] = []
    private let disk: NemesisDisk
    private let store: String
    private var child: ChildProcess?

    /// The number of change sets that writers retain: enough for a follower on a slow machine.
    private static let retained = "100000"

    /// The pause of a writer after each write, so that the store does not fill its disk.
    private static let pauseMilliseconds = "3"

    /// The longest wait for a program's reaction.
    static let patienceSeconds = 20.0

    init(_ role: Role, store: String, on disk: NemesisDisk) {
        self.role = role
        self.store = store
        self.disk = disk
    }

    var isRunning: Bool { child != nil }

    var name: String {
        switch role {
        case .writer(let lane): "writer \(lane)"
        case .follower: "follower"
        }
    }

    func start() throws {
        let words: [String] =
            switch role {
            case .writer(let lane): ["write", store, lane, Self.retained, Self.pauseMilliseconds]
            case .follower: ["trail", store] + reached
            }
        child = try disk.start(FeedWorker.path, words)
    }

    /// Forgets the acknowledgements and the position, because the store now has another history.
    func forget(acknowledged: Int) {
        self.acknowledged = acknowledged
        reached = []
    }

    /// How a wait ended.
    enum Outcome: Equatable {
        case progressed
        case ended(code: String)
        case killed(Int32)
        case silent
    }

    /// Waits until the program has printed `count` lines from now on, or has ended.
    ///
    /// - Throws: ``Command/Failed`` if the program found a violation.
    func awaitLines(_ count: Int, isFresh: Bool = true) throws -> Outcome {
        guard let child else { return .silent }
        if isFresh {
            for line in child.linesSoFar() {
                if let outcome = try hear(line) { return outcome }
            }
        }
        let deadline = Date(timeIntervalSinceNow: Self.patienceSeconds)
        for _ in 0..<count {
            guard let line = child.nextLine(seconds: max(deadline.timeIntervalSinceNow, 0)) else {
                guard let end = try? child.wait(seconds: max(deadline.timeIntervalSinceNow, 0)) else { return .silent }
                self.child = nil
                if case .signal(let signal) = end { return .killed(signal) }
                throw Command.Failed(description: "\(name) ended by \(end) without a reason")
            }
            if let outcome = try hear(line) { return outcome }
        }
        return .progressed
    }

    /// Waits until the program has ended.
    func awaitEnd() throws -> Outcome {
        let deadline = Date(timeIntervalSinceNow: Self.patienceSeconds)
        while Date() < deadline {
            let outcome = try awaitLines(1, isFresh: false)
            if outcome != .progressed { return outcome }
        }
        return .progressed
    }

    /// Waits until the follower has seen the lanes at these numbers.
    func awaitLanes(_ lanes: [String: Int]) throws {
        let expected = lanes.filter { $0.value > 0 }.map { "\($0.key)=\($0.value)" }.sorted()
        while Array(reached.dropFirst()) != expected {
            let outcome = try awaitLines(1, isFresh: false)
            guard outcome == .progressed else {
                throw Command.Failed(description: "\(name) at \(reached), expected \(expected): \(outcome)")
            }
        }
    }

    /// Lets the program end by itself.
    func stop() throws {
        guard let child else { return }
        child.send("stop")
        while let line = child.nextLine(seconds: Self.patienceSeconds) { _ = try hear(line) }
        let end = try child.wait()
        self.child = nil
        guard end == .exit(0) else { throw Command.Failed(description: "\(name) was stopped and ended by \(end)") }
    }

    /// Takes a line, and returns the outcome if the program ends with it.
    private func hear(_ line: String) throws -> Outcome? {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "ack":
            acknowledged = max(acknowledged, Int(words[2]) ?? 0)
            return nil
        case "seen":
            reached = Array(words.dropFirst())
            return nil
        case "done": return nil
        case "failed":
            guard words.count > 1, words[1].hasPrefix("["), words[1].hasSuffix("]") else {
                throw Command.Failed(description: "\(name): \(line)")
            }
            try child?.wait()
            child = nil
            return .ended(code: String(words[1].dropFirst().dropLast()))
        // A notice of the library on standard error.
        case "ModelStore:": return nil
        default: throw Command.Failed(description: "\(name): \(line)")
        }
    }
}
