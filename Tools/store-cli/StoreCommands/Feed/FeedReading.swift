import StoreEngine
import StoreRuntime

/// The form in which change sets are written.
enum FeedForm: Sendable {
    case changeSets(OutputFormat)
    case events(name: String)

    func printer(to output: StandardOutput, _ store: Store) throws -> any FeedPrinter {
        switch self {
        case .changeSets(.json): try FeedDocuments(isArray: true, output, store)
        case .changeSets(.jsonl): try FeedDocuments(isArray: false, output, store)
        case .changeSets(let format): try FeedRows(format, to: output)
        case .events(let name): FeedEventLines(name: name, to: output)
        }
    }
}

/// Writes change sets as they arrive, a large one in parts.
protocol FeedPrinter {
    /// Writes a change set, or the next part of one.
    mutating func append(_ changeSet: ChangeSet) throws
    /// Completes the current change set. No more parts of it will follow.
    mutating func endChangeSet() throws
    /// Passes the appended text to the output. If rows are aligned, ends the block.
    mutating func flush() throws
    /// Ends the result.
    mutating func finish() throws
}

/// Writes the difference by record, which comes before change sets.
protocol FeedDifferencePrinter: FeedPrinter {
    /// Writes a part of the difference.
    mutating func append(_ difference: FeedDifference) throws
    /// Writes that the difference is complete, and the position at which the feed continues.
    mutating func endDifference(at position: Position) throws
}

/// Reads the feed and prints it.
struct FeedReading: Sendable {
    let store: Store
    let start: Position
    /// Whether `start` only means the beginning of the feed, wherever that is.
    let isFromOldest: Bool
    /// The records that are written first.
    let records: RecordEvents?
    /// Whether to print the difference if change sets after `start` have left the feed.
    let tellsDifference: Bool
    let filters: [FeedFilter]
    let follows: Bool
    let limit: Int?
    let form: FeedForm

    /// The most changes of a large change set in memory at a time.
    private static let changesPerPart = 256
    /// The most lookups of the feed's beginning, which retention may move between lookup and read.
    private static let startAttempts = 10

    func run(_ interruption: Interruption) async throws {
        let output = StandardOutput()
        var records = records
        while let events = try records?.next(), !interruption.isRequested {
            for event in events { try output.write(event.json + "\n") }
        }
        var printer = try form.printer(to: output, store)
        let start = try await printDifference(with: &printer, to: output, interruption)
        if limit != 0 { try await print(after: start, with: &printer, to: output, interruption) }
        try printer.finish()
        try output.flush()
    }

    /// - Returns: the position at which the change sets continue.
    private func printDifference(
        with printer: inout any FeedPrinter, to output: StandardOutput, _ interruption: Interruption
    ) async throws -> Position {
        guard tellsDifference, var told = printer as? any FeedDifferencePrinter else { return start }
        defer { printer = told }
        var end = start
        var hasParts = false
        for try await element in store.catchUp(since: start, options) {
            if interruption.isRequested { break }
            switch element {
            case .difference(let part):
                hasParts = true
                try told.append(part)
            case .ready(let position):
                end = position
                if hasParts { try told.endDifference(at: position) }
                try told.flush()
                try output.flush()
                return end
            case .commit: return end
            }
        }
        return end
    }

    private func print(
        after start: Position, with printer: inout any FeedPrinter, to output: StandardOutput,
        _ interruption: Interruption
    ) async throws {
        let newest = try store.feedRange.upperBound
        guard follows || start.sequence < newest else { return }
        var iterator = iterator(after: start)
        var next = try await first(&iterator)
        var count = 0
        // The change set that is being printed, until its last part.
        var current: UInt64?
        while let set = next {
            if set.sequence > newest, !follows { break }
            if current != set.sequence {
                // The last part of the previous change set had no matching changes.
                if current != nil {
                    try printer.endChangeSet()
                    current = nil
                }
                if count == limit { break }
            }
            if !set.changes.isEmpty {
                if current == nil { count += 1 }
                current = set.sequence
                try printer.append(set)
            }
            if set.isLastPart {
                if current != nil { try printer.endChangeSet() }
                current = nil
                if count == limit || set.sequence == newest && !follows { break }
            }
            if follows, set.sequence >= newest {
                try printer.flush()
                try output.flush()
            }
            // A change set is written to its end once it has begun.
            interruption.setBusy(current != nil)
            if interruption.isRequested, current == nil { break }
            next = try await iterator.next()
        }
        if current != nil { try printer.endChangeSet() }
    }

    private var options: FeedOptions {
        var options = FeedOptions()
        options.filters = filters
        options.changesPerPart = Self.changesPerPart
        return options
    }

    private func iterator(after position: Position) -> ChangeFeed.Iterator {
        var options = options
        // Otherwise the end of a feed whose last change sets do not match would go unnoticed.
        options.reportsProgress = true
        return store.changes(since: position, options).makeAsyncIterator()
    }

    /// Returns the first change set. In a short feed with frequent writes, the beginning may be gone at once.
    private func first(_ iterator: inout ChangeFeed.Iterator) async throws -> ChangeSet? {
        for _ in 1..<Self.startAttempts where isFromOldest {
            do {
                return try await iterator.next()
            } catch let error as StoreError where error.code == .positionCompacted {
                guard let oldest = error.oldestPosition else { throw error }
                iterator = self.iterator(after: oldest)
            }
        }
        return try await iterator.next()
    }
}
