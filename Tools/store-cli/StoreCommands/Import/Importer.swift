import StoreEngine
import StoreRuntime

/// An import: validates rows into a spool, then stores them in one transaction.
struct Importer {
    let store: Store
    let input: InputSource
    let skipsMistakes: Bool

    /// Imports rows of one type that the store has.
    func run(_ rows: consuming some ImportRows, as type: RecordType) throws -> ImportReport {
        let encoder = try RowEncoder(type: type, columns: rows.columns, input: input.name)
        return try run(rows, encoder)
    }

    /// Imports rows that name their types.
    func runNamingTypes(_ rows: consuming some ImportRows) throws -> ImportReport {
        try run(rows, RowEncoder(types: store.recordTypes))
    }

    /// Imports rows of a new type, and infers the type from them.
    func run(
        _ rows: consuming some ImportRows, creating name: String, _ options: NewTypeOptions
    ) throws -> ImportReport {
        try CSVHeader.requireDistinct(rows.columns ?? [], input: input.name)
        let columns = rows.columns
        var inference = SchemaInference()
        let raw = try SpoolWriter()
        var skipped = try eachGood(&rows, "reading", total: input.byteCount, unit: "bytes", done: { input.consumed }) {
            inference.add($0, columns: columns)
            try raw.append(SpooledRows.bytes(of: $0), line: $0.line)
        }
        let schema = try inference.schema(named: name, options)
        let type = try RecordType(id: 0, declared: schema)
        let spool = try raw.seal()
        var again = SpooledRows(spool, columns: columns)
        let encoder = try RowEncoder(type: type, columns: columns, input: input.name)
        let encoded = try encode(&again, encoder, total: spool.count, unit: "rows", done: nil, skipped: &skipped)
        let job = storing(encoded, encoder, checksVersions: false)
        return try job.run(skipped: skipped) { try store.write(addingTypes: [schema], $0.store) }
    }

    private func run(_ rows: consuming some ImportRows, _ encoder: RowEncoder) throws -> ImportReport {
        var skipped = 0
        let spool = try encode(
            &rows, encoder, total: input.byteCount, unit: "bytes", done: { input.consumed }, skipped: &skipped)
        let job = storing(spool, encoder, checksVersions: true)
        return try job.run(skipped: skipped) { try store.write($0.store) }
    }

    private func storing(_ spool: Spool, _ encoder: RowEncoder, checksVersions: Bool) -> StoringJob {
        StoringJob(
            spool: spool, encoder: encoder, input: input.name, skipsMistakes: skipsMistakes,
            checksVersions: checksVersions, progress: ProgressBar("storing", total: spool.count, unit: "rows"))
    }

    private func encode(
        _ rows: inout some ImportRows, _ encoder: RowEncoder, total: Int?, unit: String, done: (() -> Int)?,
        skipped: inout Int
    ) throws -> Spool {
        let writer = try SpoolWriter()
        skipped += try eachGood(&rows, "checking", total: total, unit: unit, done: done ?? { writer.count }) { row in
            let (type, bytes) = try encoder.encode(row)
            try writer.append(bytes, line: row.line, type: type)
        }
        return try writer.seal()
    }

    /// Runs `body` on each row. A mistake ends the import or is listed.
    ///
    /// - Returns: the number of skipped rows.
    private func eachGood(
        _ rows: inout some ImportRows, _ label: String, total: Int?, unit: String, done: () -> Int,
        _ body: (ImportRow) throws -> Void
    ) throws -> Int {
        let progress = ProgressBar(label, total: total, unit: unit)
        defer { progress.finish() }
        var skipped = 0
        while true {
            do {
                guard let row = try rows.next() else { return skipped }
                try body(row)
                progress.update(to: done())
            } catch let mistake as ImportMistake {
                let text = "\(input.name), line \(mistake.line): \(mistake.reason)"
                guard skipsMistakes else {
                    throw CommandFailure(.badData, "\(text); nothing was imported")
                }
                progress.clear()
                StandardError.writeLine("skipped \(text)")
                skipped += 1
            }
        }
    }
}

/// The result of an import.
struct ImportReport {
    var stored: Int
    var added: Int
    var skipped: Int

    /// The counts as one line.
    var text: String {
        var parts = ["\(added) added", "\(stored - added) already there"]
        if skipped > 0 { parts.append("\(skipped) skipped") }
        return "imported \(Counted.text(stored, "record")): " + parts.joined(separator: ", ")
    }
}

/// The lines whose records violate a constraint after all records are stored: they refer to missing records, or others have their
/// unique values.
private struct BrokenLines: Error {
    var reasons: [Int: String] = [:]
}

/// Stores a spool in one transaction. It may run more than once, so it keeps no state between runs.
private struct StoringJob: Sendable {
    /// The outcome of one run.
    struct Outcome: Sendable {
        var stored: Int
        var added: Int
        var rejected: Spool
    }

    let spool: Spool
    let encoder: RowEncoder
    let input: String
    let skipsMistakes: Bool
    let checksVersions: Bool
    let progress: ProgressBar
    /// The lines to leave out, with the reasons.
    private(set) var broken: [Int: String] = [:]

    /// Stores the spool and lists the lines that were left out.
    ///
    /// - Parameter write: runs the job in a transaction.
    func run(skipped: Int, in write: (StoringJob) throws -> Outcome) throws -> ImportReport {
        var job = self
        while true {
            do {
                return try job.report(write(job), skipped: skipped)
            } catch let lines as BrokenLines {
                // Without these lines, others may violate a constraint: they may refer to their records.
                job.broken.merge(lines.reasons) { first, _ in first }
            }
        }
    }

    /// Upserts every record of the spool, and checks the constraints at the end.
    @Sendable
    func store(_ transaction: inout WriteTransaction) throws -> Outcome {
        var indexes: [Int: Int] = [:]
        var reader = spool.makeReader()
        let rejected = try SpoolWriter()
        var held = HeldBackRecords()
        var stored = 0
        var before = 0
        while let entry = try reader.next() {
            if let reason = broken[entry.line] {
                try rejected.append(Array(reason.utf8), line: entry.line)
                continue
            }
            let index: Int
            if let known = indexes[entry.type] {
                index = known
            } else {
                index = try typeIndex(encoder.type(at: entry.type), transaction._reading.catalog)
                indexes[entry.type] = index
                before += try transaction._reading.count(typeIndex: index)
            }
            do {
                try unsafe transaction.put(
                    encodedFields: entry.bytes.span.bytes, typeIndex: index, mode: .upsert, holdingBack: &held,
                    tag: entry.line)
                stored += 1
            } catch {
                guard skips(error, .invalidValue) else { throw failure(error, line: entry.line) }
                try rejected.append(Array(error.message.utf8), line: entry.line)
            }
            progress.update(to: stored)
        }
        try storeHeldBack(held, &transaction)
        try requireTargets(&transaction, indexes)
        let after = try indexes.values.reduce(0) { try $0 + transaction._reading.count(typeIndex: $1) }
        return Outcome(stored: stored, added: after - before, rejected: try rejected.seal())
    }

    /// Stores the records whose unique values others held before. Called after all other records are stored.
    private func storeHeldBack(_ held: HeldBackRecords, _ transaction: inout WriteTransaction) throws {
        var lines = BrokenLines()
        for entry in held.entries {
            do throws(StoreError) {
                try transaction.put(entry)
            } catch {
                guard skips(error, .uniqueViolation) else { throw failure(error, line: entry.tag) }
                lines.reasons[entry.tag] = error.message
            }
        }
        if !lines.reasons.isEmpty { throw lines }
    }

    /// Fails with the lines whose records refer to missing records. Called after all records are stored.
    private func requireTargets(_ transaction: inout WriteTransaction, _ indexes: [Int: Int]) throws {
        do throws(StoreError) {
            try transaction.requireWhole()
            return
        } catch {
            guard error.code == .referenceBroken else { throw error }
        }
        var lines = BrokenLines()
        var reader = spool.makeReader()
        while let entry = try reader.next() {
            guard broken[entry.line] == nil, let index = indexes[entry.type],
                let reason = unsafe try transaction.brokenReference(
                    encodedFields: entry.bytes.span.bytes, typeIndex: index)
            else { continue }
            guard skipsMistakes else {
                throw CommandFailure(
                    ExitStatus(.referenceBroken), "\(location(entry.line)): \(reason); nothing was imported")
            }
            lines.reasons[entry.line] = reason
        }
        // No such line: a record that existed before the import is broken. The end of the transaction reports it.
        if !lines.reasons.isEmpty { throw lines }
    }

    /// Lists the rejected lines, once the outcome is certain, and returns the counts.
    func report(_ outcome: Outcome, skipped: Int) throws -> ImportReport {
        progress.finish()
        var rejected = outcome.rejected.makeReader()
        while let entry = try rejected.next() {
            StandardError.writeLine("skipped \(location(entry.line)): \(String(decoding: entry.bytes, as: UTF8.self))")
        }
        return ImportReport(
            stored: outcome.stored, added: outcome.added, skipped: skipped + outcome.rejected.count)
    }

    /// Whether an error of a line has it left out, and does not end the import.
    private func skips(_ error: StoreError, _ code: StoreError.Code) -> Bool {
        skipsMistakes && (error.code == code || error.code == .keyCollision)
    }

    private func location(_ line: Int) -> String { "\(input), line \(line)" }

    private func failure(_ error: StoreError, line: Int) -> CommandFailure {
        CommandFailure(ExitStatus(error.code), "\(location(line)): \(error.text); nothing was imported")
    }

    private func typeIndex(_ type: RecordType, _ catalog: Catalog) throws -> Int {
        let index = try catalog.requireTypeIndex(named: type.name)
        guard !checksVersions || catalog.types[index].type == type else {
            throw StoreError(
                .schemaMismatch, "the schema of \(type.name) was changed while the input was read",
                remedy: "run the import again")
        }
        return index
    }
}
