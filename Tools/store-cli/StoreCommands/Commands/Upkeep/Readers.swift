import ArgumentParser
import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// `readers`: lists the processes that are reading the store.
struct Readers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the open read transactions of all processes.",
        discussion: """
            A long transaction prevents the reuse of freed pages. The column behind shows the number of commits since \
            the transaction's snapshot. A pin belongs to the redo log: it keeps the pages of the last checkpoint. The command itself needs no free slot. LMDB does not record the age of a transaction. processAgeSeconds is the age of \
            its process, which is at least as great. --clear-stale frees the slots of processes that no longer exist.
            """)

    @OptionGroup var options: GlobalOptions
    @Flag(help: "Free the slots of processes that no longer exist.") var clearStale = false

    func run() throws {
        let columns = [
            OutputColumn("process", isNumeric: true), OutputColumn("command"),
            OutputColumn("processAgeSeconds", isNumeric: true), OutputColumn("thread"),
            OutputColumn("transaction", isNumeric: true), OutputColumn("behind", isNumeric: true),
            OutputColumn("position", isNumeric: true), OutputColumn("pin"),
        ]
        let path = try options.requireStore()
        let report = try ReaderReport(at: path, options: options.inspecting(path), clearsStale: clearStale)
        let rows = ReaderList.others(report.readers).map { reader in
            let head = report.head.flatMap { head in
                reader.transactionID.map(UInt64.init) == head.transactionID ? head.sequence : nil
            }
            return [
                OutputCell(Int(reader.processID)), OutputCell(ReaderList.command(of: reader.processID)),
                ProcessAge.seconds(of: reader.processID).map { OutputCell($0) } ?? OutputCell(.null),
                OutputCell(String(reader.threadID, radix: 16)),
                reader.transactionID.map { OutputCell($0) } ?? OutputCell(.null),
                reader.transactionID.map { OutputCell(max(report.newest - $0, 0)) } ?? OutputCell(.null),
                head.map { OutputCell(.number(JSONNumber($0))) } ?? OutputCell(.null),
                OutputCell(.bool(reader.isPin)),
            ]
        }
        try options.printing { output in
            var printer = try RowPrinter(options.format, columns: columns, to: output)
            for row in rows { try printer.append(row) }
            try printer.finish()
        }
        if clearStale { StandardError.writeLine("cleared \(Counted.text(report.clearedCount, "stale reader"))") }
    }
}

/// The readers of a store, as the commands list them.
enum ReaderList {
    /// Returns all readers except this program's own.
    static func others(_ readers: [LMDBReader]) -> [LMDBReader] {
        let own = ProcessInfo.processInfo.processIdentifier
        return readers.filter { $0.processID != own }
    }

    /// Returns the name of a process, as the system knows it.
    static func command(of process: Int32) -> JSONValue {
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return name.map { .string($0.trimmingCharacters(in: .newlines)) } ?? .null
    }
}
