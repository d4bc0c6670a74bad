import Foundation
import ModelStore

/// Row 11: the memory that a process needs to stream records, by their number.
enum Streaming {
    static let counts = [10_000, 1_000_000]
    /// The difference that two processes with the same work may show.
    static let toleranceMebibytes = 1.0

    /// Creates stores, streams each in a process of its own, and fails unless all processes need the same memory.
    static func measure(_ session: Session) throws {
        guard session.isWanted("11") else { return }
        var line = TablePrinter.pad("11 streaming", 26)
        var peaks: [Double] = []
        for count in counts {
            let directory = session.path(.modelStore, "streaming-\(count)")
            try fill(directory, count)
            let peak = try Footprint.peakMebibytes(of: .stream, .modelStore, directory, rows: count)
            peaks.append(peak)
            line += "\(count) records: \(TablePrinter.number(peak)) MiB  "
            try FileManager.default.removeItem(atPath: directory)
        }
        print(line)
        print("    greatest anonymous memory of a process that walks all by id, by an index, and by a condition")
        guard let least = peaks.min(), let most = peaks.max(), most - least <= toleranceMebibytes else {
            throw BenchmarkError("streaming takes memory by the number of records: \(peaks) MiB")
        }
    }

    private static func fill(_ directory: String, _ count: Int) throws {
        let side = try SideKind.modelStore.open(directory)
        var source = AccountSource()
        for _ in 0..<count / 10_000 { try side.insertTogether(source.next(10_000)) }
        try side.close()
    }

    /// Streams all records of a store in three ways.
    ///
    /// - Returns: the most anonymous memory that the process had meanwhile, in KiB. It excludes the pages of the file, which the
    ///   system may drop at any time.
    static func peakKibibytes(_ directory: String, count: Int) throws -> Int {
        let store = try Store(at: directory, records: Account.self, Visit.self)
        var peak = 0
        for request in [
            FetchRequest(Account.self), Account.order { $0.balance.ascending }.limit(count),
            Account.where { $0.email.contains("@") },
        ] {
            var seen = 0
            try store.read { transaction in
                try transaction.forEach(request) { _ in
                    if seen % 1_000 == 0 { peak = max(peak, try Footprint.statusKibibytes("RssAnon")) }
                    seen += 1
                    return true
                }
            }
            guard seen == count else { throw BenchmarkError("streamed \(seen) records of \(count)") }
        }
        store.close()
        return peak
    }
}
