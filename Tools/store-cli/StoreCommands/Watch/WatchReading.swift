import StoreEngine
import StoreRuntime

/// Takes the updates of a live result and has them printed.
struct WatchReading: Sendable {
    let rows: DynamicUpdates
    /// The fields to print, as they were named; nil for all.
    let fields: String?
    let format: OutputFormat
    /// After how many updates to end.
    let limit: Int?
    /// The table in place, where there is one.
    let table: LiveTable?

    func run(_ interruption: Interruption) async throws {
        if let table {
            // However it ends, the cursor is back.
            defer { table.finish() }
            try await forEachUpdate {
                try table.show($0)
                return (LiveTable.interval, $0.changeCount > 0)
            }
        } else {
            let output = StandardOutput()
            var printer = try WatchPrinter(format, fields: fields, to: output)
            try await forEachUpdate { update in
                let hasLines = try printer.append(update, until: { interruption.isRequested })
                try output.flush()
                return (nil, hasLines && !update.isFirst)
            }
            try printer.finish()
            try output.flush()
        }
    }

    /// Calls `body` with the first result and each update, until there were enough or the task is cancelled.
    ///
    /// - Parameter body: gives how long to rest, as all changes meanwhile are one update, and whether it counts as an update.
    private func forEachUpdate(
        _ body: (DynamicUpdate) throws -> (rest: Duration?, counts: Bool)
    ) async throws {
        var updates = rows.makeAsyncIterator()
        var count = 0
        while let update = try await updates.next() {
            let (rest, counts) = try body(update)
            if counts { count += 1 }
            if count == limit { return }
            // Cut short by a request to end.
            if let rest { try? await Task.sleep(for: rest) }
        }
    }
}
