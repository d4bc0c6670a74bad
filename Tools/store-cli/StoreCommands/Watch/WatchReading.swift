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
                return LiveTable.interval
            }
        } else {
            let output = StandardOutput()
            var printer = try WatchPrinter(format, fields: fields, to: output)
            try await forEachUpdate { update in
                try printer.append(update, until: { interruption.isRequested })
                try output.flush()
                return nil
            }
            try printer.finish()
            try output.flush()
        }
    }

    /// Calls `body` with the first result and each update, until there were enough or the task is cancelled.
    ///
    /// - Parameter body: gives how long to rest; what happens meanwhile is one update.
    private func forEachUpdate(_ body: (DynamicUpdate) throws -> Duration?) async throws {
        var updates = rows.makeAsyncIterator()
        var count = 0
        while let update = try await updates.next() {
            let rest = try body(update)
            if update.changeCount > 0 { count += 1 }
            if count == limit { return }
            // Cut short by a request to end.
            if let rest { try? await Task.sleep(for: rest) }
        }
    }
}
