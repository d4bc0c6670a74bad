import ChildPrograms
import Dispatch
import Glibc

/// Several processes that compete for the same consumers. Only one of them may hold a consumer at a time.
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
    /// The reported generations of each consumer.
    private var generations: [String: Set<UInt64>] = [:]
    /// The number of times a waiting process took over a consumer from a killed one.
    private(set) var takeovers = 0
    /// Violations: two holders of one generation, and processes that failed, for example after they lost their consumer.
    private(set) var faults: [String] = []

    /// Starts `count` processes.
    init(_ count: Int, directory: ScratchDirectory) throws {
        arguments = ["consume", directory.path("store"), directory.path("log")]
        for place in 0..<count { try start(place) }
    }

    /// The numbers of the running processes.
    var places: [Int] { running.keys.sorted() }

    /// Whether each consumer is held by a running process, according to the reports so far.
    private var isHeld: Bool { Self.names.allSatisfy { holders[$0] != nil } }

    mutating func start(_ place: Int) throws {
        running[place] = try FeedWorker.start(arguments) { [output] in output.signal() }
    }

    /// Waits until each consumer is held.
    ///
    /// - Throws: ``Command/Failed`` after a timeout.
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

    /// Kills one process; the others continue.
    ///
    /// - Parameter isAwaited: Whether to wait until the remaining processes have taken over its consumers.
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

    /// Kills all processes, and runs one alone until it ends itself before the `operation`th write or sync of the data file.
    mutating func runDoomed(operation: Int, _ library: SyncLogLibrary) throws {
        for place in places { try kill(place, isAwaited: false) }
        let doomed = try FeedWorker.start(arguments, environment: library.environment(killAt: operation))
        listen(doomed.remainingLines(), from: 0)
        try expectKilled(doomed)
        holders = [:]
    }

    /// Lets all processes end by themselves.
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
            // The reports of different processes arrive in any order.
            if generation > holders[name]?.generation ?? 0 {
                holders[name] = Holder(place: place, generation: generation)
            }
        }
    }
}
