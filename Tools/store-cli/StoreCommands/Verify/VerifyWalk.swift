import ArgumentParser
import Glibc
import LMDB
import StoreEngine
import StoreRuntime

/// The part of `verify` that reads the store. It runs in a process of its own, because damaged pages may crash it.
struct VerifyWalk: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-walk", abstract: "Reads everything for verify.", shouldDisplay: false)

    /// The part of the store to walk through.
    enum Part: String, ExpressibleByArgument {
        /// The whole store, with all comparisons.
        case store
        /// The names of the databases.
        case names
        /// The entries of one database, without their meaning.
        case database
    }

    @OptionGroup var options: GlobalOptions
    @Argument var part: Part
    @Argument var name: String?

    func run() throws {
        // The watching process reports a crash. A core file of the whole map would not help.
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        let output = StandardOutput()
        let message: WalkMessage
        do {
            message = .done(summary: try walk(output))
        } catch {
            let failure = CommandFailure(error)
            // The walk looks for damage, so damage that prevents opening the store is a finding too.
            message =
                (error as? StoreError)?.code == .damaged
                ? .finding(kind: "storage", location: "store", problem: failure.message) : .failed(failure)
        }
        try output.write(message.line)
        try output.flush()
    }

    private func walk(_ output: StandardOutput) throws -> String {
        let path = try options.requireStore()
        try StoreAccess.requireReachable(path)
        switch part {
        case .store: return try verify(path, output)
        case .names:
            try walkRaw(path, database: LMDBDatabase(handle: 1)) { key, _ in
                try output.write(WalkMessage.database(String(decoding: key, as: UTF8.self)).line)
            }
        case .database:
            var count = 0
            try walkRaw(path, named: name ?? "") { _, _ in count += 1 }
            return String(count)
        }
        return ""
    }

    private func verify(_ path: String, _ output: StandardOutput) throws -> String {
        var failure: (any Error)?
        func write(_ message: WalkMessage) {
            do {
                try output.write(message.line)
                // Flushed at once, because the next page may crash the process.
                try output.flush()
            } catch {
                failure = failure ?? error
            }
        }
        let expected = (try? expectedEntries(path)) ?? 0
        let progress = { write(.progress(visited: $0, expected: expected)) }
        let summary = try Store.verify(at: path, onProgress: progress) { finding in
            if finding.location == .metadata("format"), finding.kind == .unknown {
                failure = CommandFailure(.newerFormat, finding.message + "; use a newer store-cli")
            }
            write(WalkMessage(finding))
        }
        if let failure { throw failure }
        return [
            Counted.text(summary.typeCount, "record type"), Counted.text(summary.recordCount, "record"),
            "\(summary.entryCount) index entries", Counted.text(summary.changeSetCount, "change set"),
        ].joined(separator: ", ")
    }

    /// Returns the number of entries that the walk will read, as the databases count them. It uses a transaction of its own,
    /// because an error here must not end the walk's transaction.
    private func expectedEntries(_ path: String) throws -> Int {
        let environment = try LMDBEnvironment.open(at: path, options: .init(isReadOnly: true))
        defer { environment.close() }
        let raw = try environment.beginRead()
        var names: [String] = []
        try Self.forEach(in: LMDBDatabase(handle: 1), raw.snapshot) { key, _ in
            names.append(String(decoding: key, as: UTF8.self))
        }
        let unwalked = [StoreDatabases.metadataName, StoreDatabases.catalogName, StoreDatabases.consumersName]
        var count = 0
        for name in names where !unwalked.contains(name) {
            guard let database = try raw.snapshot.openDatabase(named: name) else { continue }
            count += try raw.snapshot.statistics(of: database).entries
        }
        return count
    }

    /// Reads every byte of each entry of a database.
    private func walkRaw(
        _ path: String, database: LMDBDatabase? = nil, named name: String = "",
        _ body: ([UInt8], [UInt8]) throws -> Void
    ) throws {
        let environment = try LMDBEnvironment.open(at: path, options: .init(isReadOnly: true))
        defer { environment.close() }
        let raw = try environment.beginRead()
        guard let database = try database ?? raw.snapshot.openDatabase(named: name) else { return }
        do {
            try Self.forEach(in: database, raw.snapshot, body)
        } catch let error as LMDBError where error.code == .badTransaction {
            // A cursor that finds no root page reports this only by that code.
            throw CommandFailure(.failed, "LMDB cannot read its pages")
        }
    }

    private static func forEach(
        in database: LMDBDatabase, _ snapshot: LMDBSnapshot, _ body: ([UInt8], [UInt8]) throws -> Void
    ) throws {
        var cursor = try snapshot.openCursor(database)
        var isPositioned = try cursor.first()
        while isPositioned {
            try body(cursor.key.array(), cursor.value.array())
            isPositioned = try cursor.next()
        }
    }
}

extension WalkMessage {
    /// Creates the message for a finding.
    fileprivate init(_ finding: VerifyFinding) {
        let location = finding.location.description
        switch (finding.kind, finding.location) {
        case (.unchecked, .database(let name)):
            self = .unchecked(database: name, location: location, problem: finding.message)
        case (.unchecked, .feed):
            self = .unchecked(database: StoreDatabases.feedName, location: location, problem: finding.message)
        default: self = .finding(kind: finding.kind.rawValue, location: location, problem: finding.message)
        }
    }
}
