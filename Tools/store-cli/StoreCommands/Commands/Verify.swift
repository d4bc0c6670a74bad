import ArgumentParser
import StoreEngine
import StoreRuntime

/// `verify`: is everything in the store as it must be?
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Walks through everything and prints what is wrong, with its place.",
        discussion: """
            The walk runs in a process of its own, so that damage which ends it is a finding too. The store may be in \
            use meanwhile. Exit status 1 if anything is wrong.
            """)

    private static let columns = [OutputColumn("place"), OutputColumn("kind"), OutputColumn("problem")]

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let walk = WalkProcess(path: try options.requireStore())
        var findings = 0
        var summary = ""
        try options.printing { output in
            var printer = try RowPrinter(options.format, columns: Self.columns, to: output)
            var failure: (any Error)?
            func report(_ message: WalkMessage) {
                switch message {
                case .finding(let kind, let place, let problem):
                    findings += 1
                    do {
                        try printer.append([OutputCell(place), OutputCell(kind), OutputCell(problem)])
                        if options.format != .table { try output.flush() }
                    } catch {
                        failure = failure ?? error
                    }
                case .done(let text): summary = text
                case .failed(let cause): failure = failure ?? cause
                case .database: break
                }
            }
            let end = try walk.run(.store, report)
            if let failure { throw failure }
            if end != .finished {
                for finding in try CrashSearch(walk: walk).findings(end) { report(finding) }
            }
            if let failure { throw failure }
            if findings > 0 || options.format != .table { try printer.finish() }
        }
        guard findings == 0 else {
            throw CommandFailure(
                .failed, "the store is damaged in \(Counted.text(findings, "place")); restore a backup")
        }
        StandardError.writeLine("verified \(summary): nothing is wrong")
    }
}

/// Finds the databases whose pages end a process that reads them.
private struct CrashSearch {
    let walk: WalkProcess

    /// The findings for a walk that ended so.
    func findings(_ end: WalkProcess.End) throws -> [WalkMessage] {
        var names: [String] = []
        let listing = try walk.run(.names) { message in
            if case .database(let name) = message { names.append(name) }
        }
        var found: [WalkMessage] = []
        if listing != .finished { found.append(finding("the list of databases", listing)) }
        for name in names {
            let end = try walk.run(.database, named: name) { _ in }
            if end != .finished { found.append(finding("database \(name)", end)) }
        }
        // Each database alone can be read: only what their entries say together ended the walk.
        return found.isEmpty ? [finding("store", end)] : found
    }

    private func finding(_ place: String, _ end: WalkProcess.End) -> WalkMessage {
        let how =
            switch end {
            case .signal(7): "SIGBUS"
            case .signal(11): "SIGSEGV"
            case .signal(6): "SIGABRT"
            case .signal(4), .signal(5): "a trap"
            case .signal(let number): "signal \(number)"
            case .finished, .silent: "an exit without a word"
            }
        return .finding(kind: "crash", place: place, problem: "reading its pages ends the process with \(how)")
    }
}
