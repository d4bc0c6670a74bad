import StoreEngine
import StoreRuntime

/// Receives the updates of a live result and prints them.
struct WatchReading: Sendable {
    let rows: DynamicUpdates
    /// The fields to print, as the user named them; nil for all.
    let fields: String?
    let format: OutputFormat
    /// The number of updates after which to end.
    let limit: Int?
    /// The table that is updated in place; nil for a stream of lines.
    let table: LiveTable?

    func run(_ interruption: Interruption) async throws {
        if let table {
            // Restores the cursor, however the work ends.
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

    /// Calls `body` with the first result and each update, until the limit is reached or the task is cancelled.
    ///
    /// - Parameter body: returns how long to rest, and whether it counts as an update. All changes during the rest merge into one
    ///   update.
    private func forEachUpdate(
        _ body: (DynamicUpdate) throws -> (rest: Duration?, counts: Bool)
    ) async throws {
        var updates = rows.makeAsyncIterator()
        var count = 0
        while let update = try await updates.next() {
            let (rest, counts) = try body(update)
            if counts { count += 1 }
            if count == limit { return }
            // A request to end cuts the rest short.
            if let rest { try? await Task.sleep(for: rest) }
        }
    }
}
