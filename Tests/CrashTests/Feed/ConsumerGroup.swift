import ChildPrograms
import Dispatch
import Glibc

/// Some processes that all want the same consumers, of which each is to be held by one of them at a time.
struct ConsumerGroup {
    private static let names: Set = ["totals", "log"]

    private struct Holder {
        let place: Int
        let generation: UInt64
    }

    private let arguments: [String]
    /// Signalled for each output of a process.
    private let output = DispatchSemaphore(value: 0)
    private var running: [Int: ChildProcess] = [:]
    private var holders: [String: Holder] = [:]
    /// In which generations each consumer was said to be held.
    private var generations: [String: Set<UInt64>] = [:]
    /// How often a process that had waited took a consumer over from one that was killed.
    private(set) var takeovers = 0
    /// What must not be: two that hold one generation, and processes that failed, as one does that has lost its consumer.
    private(set) var faults: [String] = []

    /// Starts `count` of them.
    init(_ count: Int, directory: ScratchDirectory) throws {
        arguments = ["consume", directory.path("store"), directory.path("log")]
        for place in 0..<count { try start(place) }
    }

    /// The places of the processes that run.
    var places: [Int] { running.keys.sorted() }

    /// Whether each consumer is held by a process that runs, as far as they have said.
    private var isHeld: Bool { Self.names.allSatisfy { holders[$0] != nil } }

    mutating func start(_ place: Int) throws {
        running[place] = try FeedWorker.start(arguments) { [output] in output.signal() }
    }

    /// Waits until each consumer is held.
    ///
    /// - Throws: ``Command/Failed`` when that does not come to be.
    mutating func waitUntilHeld() throws {
        let deadline = DispatchTime.now() + 240
        var isInTime = true
        while true {
            for place in places { listen(running[place]?.linesSoFar() ?? [], from: place) }
            if isHeld { return }
            guard faults.isEmpty, isInTime else {
                throw Command.Failed(description: "held are \(holders.keys.sorted()), faults \(faults)")
            }
            isInTime = output.wait(timeout: deadline) == .success
        }
    }

    /// Kills one; the others go on.
    ///
    /// - Parameter isAwaited: whether to wait until those that are left have taken over what it held.
    mutating func kill(_ place: Int, isAwaited: Bool) throws {
        guard let victim = running.removeValue(forKey: place) else { return }
        victim.kill()
        try expectKilled(victim)
        listen(victim.remainingLines(), from: place)
        let lost = Self.names.filter { holders[$0]?.place == place }
        for name in lost { holders[name] = nil }
        guard isAwaited else { return }
        try waitUntilHeld()
        takeovers += lost.count
    }

    /// Kills all, and has one run alone until it ends itself before the `operation`th write or sync of the data file.
    mutating func runDoomed(operation: Int, _ library: SyncLogLibrary) throws {
        for place in places { try kill(place, isAwaited: false) }
        let doomed = try FeedWorker.start(arguments, environment: library.environment(killAt: operation))
        listen(doomed.remainingLines(), from: 0)
        try expectKilled(doomed)
        holders = [:]
    }

    /// Has all end by themselves.
    mutating func stop() throws {
        for place in places {
            guard let child = running.removeValue(forKey: place) else { continue }
            listen(try FeedWorker.stop(child), from: place)
        }
    }

    private func expectKilled(_ child: ChildProcess) throws {
        let end = try child.wait()
        guard end == .signal(SIGKILL) else { throw Command.Failed(description: "a consumer ended by \(end)") }
    }

    private mutating func listen(_ lines: [String], from place: Int) {
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == "active", let generation = UInt64(words[2]) else {
                faults.append(line)
                continue
            }
            let name = String(words[1])
            if !generations[name, default: []].insert(generation).inserted { faults.append("twice: \(line)") }
            // What processes say is heard in any order.
            if generation > holders[name]?.generation ?? 0 {
                holders[name] = Holder(place: place, generation: generation)
            }
        }
    }
}
