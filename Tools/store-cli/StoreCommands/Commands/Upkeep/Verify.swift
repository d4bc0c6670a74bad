import ArgumentParser
import StoreEngine
import StoreRuntime

/// `verify`: checks everything in the store.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the whole store, and prints each fault with its location.",
        discussion: """
            The check runs in its own process, so damage that ends that process is a finding too. Other programs may \
            use the store meanwhile. The exit status is 1 if anything is wrong.
            """)

    private static let columns = [OutputColumn("place"), OutputColumn("kind"), OutputColumn("problem")]

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let walk = WalkProcess(path: try options.requireStore())
        var findings = 0
        var uncheckedCount = 0
        var isCutShort = false
        var summary = ""
        try options.printing { output in
            var printer = try RowPrinter(options.format, columns: Self.columns, to: output)
            var failure: (any Error)?
            var unchecked: [UncheckedDatabase] = []
            var progress: ProgressBar?
            defer { progress?.finish() }
            func report(_ message: WalkMessage) {
                switch message {
                case .finding(let kind, let location, let problem):
                    findings += 1
                    if kind == VerifyFinding.Kind.unchecked.rawValue { uncheckedCount += 1 }
                    do {
                        try printer.append([OutputCell(location), OutputCell(kind), OutputCell(problem)])
                        if options.format != .table {
                            progress?.clear()
                            try output.flush()
                        }
                    } catch {
                        failure = failure ?? error
                    }
                case .unchecked(let name, let location, let problem):
                    unchecked.append(UncheckedDatabase(name: name, location: location, problem: problem))
                case .progress(let visited, let expected):
                    let total = expected > 0 ? expected : nil
                    let bar = progress ?? ProgressBar("verifying", total: total, unit: "entries")
                    progress = bar
                    bar.update(to: visited)
                case .done(let text): summary = text
                case .failed(let cause): failure = failure ?? cause
                case .database: break
                }
            }
            let end = try walk.run(.store, report)
            progress?.finish()
            if let failure { throw failure }
            let search = DatabaseSearch(walk: walk)
            for database in unchecked { report(try search.finding(for: database)) }
            isCutShort = end != .finished
            if isCutShort {
                for finding in try search.findings(after: end) { report(finding) }
            }
            if let failure { throw failure }
            if findings > 0 || options.format != .table { try printer.finish() }
        }
        guard findings == 0 else {
            let damaged = "the store is damaged in \(Counted.text(findings - uncheckedCount, "place"))"
            let open =
                isCutShort
                ? ", and the walk did not finish"
                : uncheckedCount == 0 ? "" : ", and \(Counted.text(uncheckedCount, "database")) could not be checked"
            throw CommandFailure(.failed, "\(damaged)\(open); restore a backup")
        }
        StandardError.writeLine("verified \(summary): nothing is wrong")
    }
}

/// A database that the walk through the store did not reach.
private struct UncheckedDatabase {
    let name: String
    let location: String
    let problem: String
}

/// Reads databases one by one, each in a process of its own, after the walk through all of them failed.
private struct DatabaseSearch {
    let walk: WalkProcess

    /// The outcome of reading one database.
    private enum Outcome {
        case read(entries: String)
        case failed(String)
        case crashed(WalkProcess.End)
    }

    /// Returns the finding for an unchecked database: whether its entries are readable at least.
    func finding(for database: UncheckedDatabase) throws -> WalkMessage {
        switch try read(database.name) {
        case .read(let entries):
            let counted = entries == "1" ? "1 entry" : "\(entries) entries"
            return .finding(
                kind: VerifyFinding.Kind.unchecked.rawValue, location: database.location,
                problem: "\(database.problem); read alone, it has \(counted)")
        case .failed(let reason): return .finding(kind: "storage", location: database.location, problem: reason)
        case .crashed(let end): return crash(database.location, end)
        }
    }

    /// Returns the findings after a crash ended the walk: the databases whose pages cause a crash.
    func findings(after end: WalkProcess.End) throws -> [WalkMessage] {
        var names: [String] = []
        let listing = try walk.run(.names) { message in
            if case .database(let name) = message { names.append(name) }
        }
        var found: [WalkMessage] = []
        if listing != .finished { found.append(crash("the list of databases", listing)) }
        for name in names {
            switch try read(name) {
            case .read: break
            case .failed(let reason):
                found.append(.finding(kind: "storage", location: "database \(name)", problem: reason))
            case .crashed(let end): found.append(crash("database \(name)", end))
            }
        }
        // Each database alone is readable: only the contents of several entries together ended the walk.
        return found.isEmpty ? [crash("store", end)] : found
    }

    private func read(_ name: String) throws -> Outcome {
        var entries = ""
        var failure: String?
        let end = try walk.run(.database, named: name) { message in
            switch message {
            case .done(let text): entries = text
            case .failed(let cause): failure = cause.message
            case .finding(_, _, let problem): failure = problem
            default: break
            }
        }
        if end != .finished { return .crashed(end) }
        return failure.map { .failed($0) } ?? .read(entries: entries)
    }

    private func crash(_ location: String, _ end: WalkProcess.End) -> WalkMessage {
        let how =
            switch end {
            case .signal(7): "SIGBUS"
            case .signal(11): "SIGSEGV"
            case .signal(6): "SIGABRT"
            case .signal(4), .signal(5): "a trap"
            case .signal(let number): "signal \(number)"
            case .finished, .silent: "an exit without a message"
            }
        return .finding(kind: "crash", location: location, problem: "reading its pages ends the process with \(how)")
    }
}
