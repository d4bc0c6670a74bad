import ArgumentParser
import LMDB
import StoreEngine
import StoreRuntime

/// `verify`: checks everything in the store.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the whole store, and prints each fault with its location.",
        discussion: "Other programs may use the store meanwhile. The exit status is 1 if anything is wrong.")

    private static let columns = [OutputColumn("place"), OutputColumn("kind"), OutputColumn("problem")]

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let path = try options.requireStore()
        var findings = 0
        var uncheckedCount = 0
        var summary = VerifySummary()
        try options.printing { output in
            var printer = try RowPrinter(options.format, columns: Self.columns, to: output)
            let progress = ProgressBar("verifying", total: expectedEntries(path), unit: "entries")
            defer { progress.finish() }
            var failure: (any Error)?
            func report(_ location: String, _ kind: VerifyFinding.Kind, _ problem: String) {
                findings += 1
                if kind == .unchecked { uncheckedCount += 1 }
                do {
                    try printer.append([OutputCell(location), OutputCell(kind.rawValue), OutputCell(problem)])
                    if options.format != .table {
                        progress.clear()
                        try output.flush()
                    }
                } catch {
                    failure = failure ?? error
                }
            }
            do {
                try StoreAccess.requireReachable(path)
                summary = try Store.verify(
                    at: path, options: options.inspecting(path), onProgress: { progress.update(to: $0) }
                ) { finding in
                    if finding.location == .metadata("format"), finding.kind == .unknown {
                        failure = CommandFailure(.newerFormat, finding.message + "; use a newer store-cli")
                    }
                    report(finding.location.description, finding.kind, finding.message)
                }
            } catch let error as StoreError where error.code == .damaged {
                // Damage that prevents opening the store is a finding too.
                report("store", .storage, CommandFailure(error).message)
            }
            progress.finish()
            if let failure { throw failure }
            if findings > 0 || options.format != .table { try printer.finish() }
        }
        guard findings == 0 else {
            let damaged = "the store is damaged in \(Counted.text(findings - uncheckedCount, "place"))"
            let open =
                uncheckedCount == 0 ? "" : ", and \(Counted.text(uncheckedCount, "database")) could not be checked"
            throw CommandFailure(.failed, "\(damaged)\(open); restore a backup")
        }
        let counts = [
            Counted.text(summary.typeCount, "record type"), Counted.text(summary.recordCount, "record"),
            "\(summary.entryCount) index entries", Counted.text(summary.changeSetCount, "change set"),
        ]
        StandardError.writeLine("verified \(counts.joined(separator: ", ")): nothing is wrong")
    }

    /// Returns the number of entries that the walk will read, as the databases count them; nil if it cannot be known.
    private func expectedEntries(_ path: String) -> Int? {
        // The check itself waits for a process that is opening the store, and says so.
        var looking = LMDBEnvironment.Options(isReadOnly: true)
        looking.recoveryPatience = .zero
        guard let environment = try? LMDBEnvironment.open(at: path, options: looking) else { return nil }
        defer { environment.close() }
        let count = try? Self.expectedEntries(in: environment)
        return count == 0 ? nil : count
    }

    private static func expectedEntries(in environment: LMDBEnvironment) throws -> Int {
        let raw = try environment.beginRead()
        var names: [String] = []
        var cursor = try raw.snapshot.openCursor(LMDBDatabase(handle: 1))
        var isPositioned = try cursor.first()
        while isPositioned {
            names.append(String(decoding: cursor.key.array(), as: UTF8.self))
            isPositioned = try cursor.next()
        }
        let unwalked = [StoreDatabases.metadataName, StoreDatabases.catalogName, StoreDatabases.consumersName]
        var count = 0
        for name in names where !unwalked.contains(name) {
            guard let database = try raw.snapshot.openDatabase(named: name) else { continue }
            count += try raw.snapshot.statistics(of: database).entries
        }
        return count
    }
}
