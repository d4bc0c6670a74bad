import ChildPrograms

/// Lets `DamageWorker` try cases one after the other. A worker that ends or hangs is replaced, and the cases after the one that
/// ended it follow.
struct CaseRun {
    /// A step may loop over a whole store, but not longer.
    private static let patienceSeconds = 120.0

    /// The number of cases.
    let count: Int
    /// Returns the arguments of a worker for a range of cases.
    let arguments: (ClosedRange<Int>) -> [String]

    /// The outcome of a run.
    struct Outcome {
        /// The cases that ended a process, and the wrong results.
        var faults: [String] = []
        /// The number of inputs that were accepted, where the worker counts them.
        var acceptedCount = 0
    }

    /// Runs all cases.
    func run() throws -> Outcome {
        var first = 0
        var outcome = Outcome()
        while first < count {
            let worker = try ChildProcess(BuiltProgram.path("DamageWorker"), arguments(first...count - 1))
            var step = "the start"
            var isDone = false
            while !isDone, let line = worker.nextLine(seconds: Self.patienceSeconds) {
                let words = line.split(separator: " ")
                switch words.first {
                case "done", "done,":
                    isDone = true
                    outcome.acceptedCount += words.last.flatMap { Int($0) } ?? 0
                case "finding", "finding:": outcome.faults.append(line)
                default:
                    step = line
                    if words.count > 1, let number = Int(words[1]) { first = number }
                }
            }
            // One that hangs is killed.
            if !isDone { worker.kill() }
            let end = try worker.wait()
            if isDone, end == .exit(0) { return outcome }
            outcome.faults.append("\(step): \(end)")
            first += 1
        }
        return outcome
    }
}
