import StoreEngine
import StoreRuntime

/// The run of one replay through a trace. One task at a time can use it. It blocks.
final class ReplayRun {
    /// A change set that waits for its replay, and its line.
    private struct Pending {
        let line: Int
        let byteCount: Int
        let commit: TraceCommit
        let write: ReplayedWrite
        let isAction: Bool
    }

    /// A replayed subscription.
    private struct Subscription {
        let made: ReplayedSubscription
        let typeName: String
        /// The sequence number in the trace of the newest change set at the last delivery.
        var given: UInt64
    }

    /// The maximum number of change sets in one commit, and the approximate maximum of their bytes in the trace.
    private static let commitLimit = (changeSets: 1_000, bytes: 8 << 20)

    private let header: TraceHeader
    private let prefetch: TracePrefetch
    /// The lines that were read ahead, and how many of them are taken.
    private var lines: (read: [TraceReader.Line], taken: Int) = ([], 0)
    private var end: TraceReader.End?
    private let options: ReplayOptions
    let store: Store
    private var next: TraceReader.Line?
    private(set) var summary = ReplaySummary()
    private var comparison: ChangeComparison
    /// The record types at the current line of the trace.
    private var schema: TraceSchema
    /// Encodes the replay's feed as frames.
    private var encoding: FeedEncoding
    private var pending: [Pending] = []
    private var pendingByteCount = 0
    /// Change sets that are being replayed while the next ones are prepared.
    private var running: (batch: [Pending], result: ReplayResult)?
    /// Whether the replayed change sets are the beginning of a step that is not published yet.
    private var isInStep = false
    private var position: Position
    private var subscriptions: [Int: Subscription] = [:]
    /// Subscriptions of the trace that cannot be replayed.
    private var omitted: Set<Int> = []
    /// The delivered rows of each subscription, for the comparison of results.
    private var rows: [Int: (expected: [JSONValue], found: [JSONValue])] = [:]
    private var scopes: [String: [Scope]] = [:]
    /// The newest change sets: the possible causes of later differences.
    private var recent = RecentCommits()
    /// The last change set in which a foreign program wrote. No trace contains its changes.
    private var lastReset: UInt64?
    private var comparesHashes: Bool

    init(_ reader: TraceReader, at path: String, _ options: ReplayOptions) throws {
        self.options = options
        header = reader.header
        // Checked before the store is created.
        comparison = try ChangeComparison(options)
        (store, next) = try ReplayStore.make(at: path, reader, options)
        prefetch = try TracePrefetch(reader)
        schema = TraceSchema(header.types, header.form)
        let (found, types) = try store.read { tx in
            (try tx._reading.feedPosition(), try tx._reading.storedTypes())
        }
        position = found
        for type in header.types + types { comparison.note(type) }
        encoding = FeedEncoding(TraceSchema(types, header.form), nil)
        comparesHashes = header.isExact && found == header.start
        if case .actions = options.mode { comparesHashes = false }
    }

    deinit { prefetch.stop() }

    /// The action catalog, if the replay reruns actions.
    private var actions: ActionCatalog? {
        if case .actions(let catalog) = options.mode { catalog } else { nil }
    }

    /// Whether a commit may end after the waiting change sets. The next type can be one that a new type refers to.
    private var mayEndCommit: Bool {
        if case .schema = pending.last?.write.content { false } else { true }
    }

    /// Replays the trace, up to its end or to `until`.
    ///
    /// - Throws: ``ReplayDivergence``; `StoreError`.
    func run() throws {
        while let line = try takeAfterAll() {
            if case .commit(let commit) = line.frame {
                if let until = options.until, commit.sequence > until { break }
                try add(commit, line)
                // With subscriptions, a step must contain the same change sets as in the recording.
                let isFull =
                    pending.count >= Self.commitLimit.changeSets || pendingByteCount >= Self.commitLimit.bytes
                if isFull, mayEndCommit {
                    try start(goesOn: !subscriptions.isEmpty)
                }
                continue
            }
            try flush()
            try replay(line)
        }
        try flush()
        try finish()
    }

    /// Returns the next line. The lines before a damaged line are replayed before the error is thrown.
    private func takeAfterAll() throws -> TraceReader.Line? {
        do {
            return try take()
        } catch {
            try flush()
            throw error
        }
    }

    private func take() throws -> TraceReader.Line? {
        if let next {
            self.next = nil
            return next
        }
        if lines.taken == lines.read.count {
            switch prefetch.next() {
            case .lines(let read): lines = (read, 0)
            case .end(let end, let isUnfinished):
                self.end = end
                summary.isUnfinished = isUnfinished
                return nil
            case .failed(let error): throw error
            }
        }
        lines.taken += 1
        return lines.read[lines.taken - 1]
    }

    private func finish() throws {
        subscriptions = [:]
        for scope in scopes.values.joined() { scope.close() }
        summary.position = position
        summary.hasEqualHashes = comparesHashes
        if let mistake = comparison.mistakenMask { throw mistake }
        guard let end else { return }
        if comparesHashes, end.position != position {
            throw divergence(0, "the end position differs", end.position.description, position.description)
        }
        guard let content = end.content, options.comparison == .exact, options.maskedFields.isEmpty, actions == nil
        else {
            return
        }
        let found = try store.read { try $0._reading.contentHash() }
        guard found == content else {
            throw divergence(
                0, "the records differ", String(content, radix: 16), String(found, radix: 16))
        }
    }

    // MARK: Change sets

    private func add(_ commit: TraceCommit, _ line: TraceReader.Line) throws {
        do {
            try addChecked(commit, line)
        } catch let mistake as TraceMistake {
            throw damaged(line.number, mistake)
        }
    }

    private func addChecked(_ commit: TraceCommit, _ line: TraceReader.Line) throws {
        func add(_ content: ReplayedWrite.Content, isAction: Bool = false) {
            pending.append(
                Pending(
                    line: line.number, byteCount: line.byteCount, commit: commit, write: commit.write(content),
                    isAction: isAction))
            pendingByteCount += line.byteCount
        }
        switch commit.single {
        case .schema(let type):
            schema.become(type)
            comparison.note(type)
            if actions != nil { return try addMissing(type) }
            add(.schema(type))
        case .reset(let name): add(.reset(type: try name.map { try schema.type(named: $0).id } ?? .max))
        default:
            if let actions, let recorded = commit.action {
                if let action = try actions.action(recorded) {
                    return add(.closure(Self.closure(action, recorded)), isAction: true)
                }
                summary.skippedActionCount += 1
            }
            let applied = try applied(commit)
            let action = commit.action
            add(
                .closure { tx in
                    try tx.apply(applied)
                    if let action { try tx.note(action) }
                })
        }
    }

    /// Returns the recorded changes of a change set, in the form that a write applies.
    private func applied(_ commit: TraceCommit) throws -> [AppliedChange] {
        if actions == nil { return try commit.applied(schema) }
        if options.comparison == .semantic, isActionWaiting {
            // The comparison of earlier change sets determines which ids the replay has for the recorded ones.
            try flush()
        }
        var today = commit
        today.changes = commit.changes.map { change in
            comparison.mapped(encoding.schema.adapted(change, keepsUnknown: false), encoding.schema)
        }
        return try today.applied(encoding.schema)
    }

    /// Whether actions are waiting or running.
    private var isActionWaiting: Bool {
        pending.contains(where: \.isAction) || running?.batch.contains(where: \.isAction) == true
    }

    /// Adds a type that the program does not declare. The types that it declares were added or migrated when the store was
    /// opened. Their numbers and versions differ from those of the trace.
    private func addMissing(_ type: RecordType) throws {
        if type.isReplaced == true || store.recordTypes.contains(where: { $0.name == type.name }) { return }
        try flush()
        try store.addTypes([type.schema])
        let (found, types) = try store.read { tx in
            (try tx._reading.feedPosition(), try tx._reading.storedTypes())
        }
        position = found
        encoding = FeedEncoding(TraceSchema(types, header.form), nil)
    }

    private static func closure(
        _ action: some Action, _ recorded: RecordedAction
    ) -> @Sendable (inout WriteTransaction) throws -> Void {
        { tx in _ = try action.runNoted(payload: recorded.payload, in: &tx) }
    }

    /// Replays the waiting change sets, compares the results, and publishes the step.
    private func flush() throws {
        try start(goesOn: false)
        try finishRunning()
        guard isInStep else { return }
        isInStep = false
        store.publishReplayed(to: position.sequence)
    }

    /// Begins to replay the waiting change sets, after the ones before them are done.
    ///
    /// - Parameter goesOn: whether the step continues after them.
    private func start(goesOn: Bool) throws {
        try finishRunning()
        if pending.isEmpty { return }
        running = (pending, ReplayResult(of: pending.map(\.write), in: store, goesOn: goesOn))
        pending = []
        pendingByteCount = 0
        isInStep = goesOn
    }

    /// Waits for the change sets that are being replayed, and compares the results.
    private func finishRunning() throws {
        guard let (batch, result) = running else { return }
        running = nil
        let done = try result.wait()
        for (item, made) in zip(batch, done.positions) { try compare(item, made) }
        if let failure = done.failure {
            let item = batch[done.positions.count]
            recent.append(item.commit, line: item.line, byteCount: item.byteCount)
            throw divergence(
                item.line, item.isAction ? "the action failed" : "the change set cannot be applied",
                text(item.commit.changes), ErrorText.of(failure))
        }
        options.onProgress?(summary.changeSetCount)
    }

    private func compare(_ item: Pending, _ made: Position) throws {
        recent.append(item.commit, line: item.line, byteCount: item.byteCount)
        let before = position
        position = made
        if case .reset = item.commit.single { lastReset = item.commit.sequence }
        summary.changeSetCount += 1
        if item.isAction { summary.actionCount += 1 }
        if comparesHashes, item.commit.hash == made.hash {
            if case .schema(let type) = item.commit.single { encoding.become(type) }
            return
        }
        var found: TraceCommit?
        if made.sequence > before.sequence { found = try foundCommit(after: before) }
        if let difference = comparison.difference(
            adapted(item.commit.changes), adapted(found?.changes ?? []), encoding.schema)
        {
            throw divergence(
                item.line, difference.reason, JSONWriter.text(of: difference.expected),
                JSONWriter.text(of: difference.found))
        }
        if item.isAction, options.comparison == .exact, item.commit.action?.result != found?.action?.result {
            throw divergence(
                item.line, "the action returned another result", Self.text(item.commit.action?.result),
                Self.text(found?.action?.result))
        }
        guard comparesHashes else { return }
        // Equal as JSON, but not byte for byte.
        guard options.comparison == .semantic else {
            throw divergence(
                item.line, "the hash of the change set differs", String(item.commit.hash ?? 0, radix: 16),
                String(made.hash, radix: 16))
        }
        comparesHashes = false
    }

    /// Returns changes in the form in which they are compared. If the program's own types are used, fields have the names and the
    /// order of those types.
    private func adapted(_ changes: [TraceChange]) -> [TraceChange] {
        actions == nil ? changes : changes.map { encoding.schema.adapted($0, keepsUnknown: true) }
    }

    /// Returns the change set that the replay made after a position, as a frame.
    private func foundCommit(after position: Position) throws -> TraceCommit {
        var walk = FeedWalk(after: position)
        var parts: [FeedPart] = []
        repeat {
            let more = try store.read { tx in
                try walk.read(tx._reading, FeedWalk.Limits(changes: 10_000, changeSets: 1))
            }
            guard !more.isEmpty else {
                throw StoreError(
                    .damaged, "a change set of the replay is not in its feed", remedy: "run `store-cli verify`")
            }
            parts += more
        } while walk.isInside
        return try encoding.commit(parts)
    }

    // MARK: Observers

    private func replay(_ line: TraceReader.Line) throws {
        switch line.frame {
        case .row, .commit: throw damaged(line.number, TraceMistake("a row comes after another frame"))
        // The flush before this switch made the step.
        case .advanced, .shown: return
        case .opened(let path): try open(path)
        case .closed(let path): scopes[path]?.popLast()?.close()
        case .unsubscribed(let number):
            subscriptions[number] = nil
            omitted.remove(number)
            rows[number] = nil
        case .subscribed(let subscription):
            guard subscription.omission == nil, let request = subscription.request else {
                summary.omittedSubscriptionCount += 1
                return
            }
            do {
                let made = try ReplayedSubscription(subscription, request, in: store, comparison, header.form)
                guard let made else {
                    summary.omittedSubscriptionCount += 1
                    omitted.insert(subscription.number)
                    return
                }
                subscriptions[subscription.number] = Subscription(
                    made: made, typeName: subscription.typeName, given: 0)
            } catch let mistake as TraceMistake {
                throw damaged(line.number, mistake)
            }
        case .delivered(let delivery): try compare(delivery, line.number)
        }
    }

    private func open(_ path: String) throws {
        // A scope's name may contain the separator of the path.
        let within = scopes.filter { !$0.value.isEmpty && path.hasPrefix($0.key + "/") }
        let longest = within.max { $0.key.utf8.count < $1.key.utf8.count }
        let name = String(path.dropFirst(longest.map { $0.key.count + 1 } ?? 0))
        let parent = longest?.value.last
        scopes[path, default: []].append(try parent?.child(name) ?? store.scope(name))
    }

    private func compare(_ expected: TraceDelivery, _ line: Int) throws {
        if omitted.contains(expected.number) { return }
        guard let subscription = subscriptions[expected.number] else {
            throw damaged(line, TraceMistake("subscription \(expected.number) is not open"))
        }
        var found = try subscription.made.poll(at: position.sequence)
        found?.number = expected.number
        summary.deliveryCount += 1
        do {
            try compare(expected, found, subscription, line)
        } catch var divergence as ReplayDivergence {
            if let cause = cause(of: expected, subscription) { divergence.cause = cause }
            throw divergence
        }
        subscriptions[expected.number]?.given = recent.last?.commit.sequence ?? 0
    }

    private func compare(
        _ expected: TraceDelivery, _ found: TraceDelivery?, _ subscription: Subscription, _ line: Int
    ) throws {
        var found = found
        if options.comparison == .exact, options.maskedFields.isEmpty {
            if actions != nil { found?.sequence = expected.sequence }
            guard found != expected else { return }
            throw divergence(
                line, "subscription \(expected.number) receives another update", JSONWriter.text(of: expected.json),
                found.map { JSONWriter.text(of: $0.json) } ?? "nothing")
        }
        try compareResults(expected, found, subscription.typeName, hasOrder: subscription.made.hasOrder, line)
    }

    /// Compares the results after a delivery, but not the changes that led to them.
    private func compareResults(
        _ expected: TraceDelivery, _ found: TraceDelivery?, _ typeName: String, hasOrder: Bool, _ line: Int
    ) throws {
        if case .count = expected.content {
            guard found?.content != expected.content else { return }
            throw divergence(
                line, "subscription \(expected.number) receives another count", JSONWriter.text(of: expected.json),
                found.map { JSONWriter.text(of: $0.json) } ?? "nothing")
        }
        let before = rows[expected.number] ?? ([], [])
        guard let old = expected.content.rows(after: before.expected) else {
            throw damaged(line, TraceMistake("the update does not continue the updates before it"))
        }
        let new = found?.content.rows(after: before.found) ?? before.found
        rows[expected.number] = (old, new)
        let left = old.map { row in
            let today = encoding.schema.adapted(row, of: typeName, keepsUnknown: true)
            return comparison.masked(comparison.mapped(today, typeName, encoding.schema), typeName)
        }
        let right = new.map { comparison.masked($0, typeName) }
        guard inOrder(left, typeName, hasOrder) != inOrder(right, typeName, hasOrder) else { return }
        throw divergence(
            line, "subscription \(expected.number) has different results", JSONWriter.text(of: .array(left)),
            JSONWriter.text(of: .array(right)))
    }

    /// Returns rows in the order of comparison. Without an order, rows are in the order of their ids, which may differ in a
    /// replay.
    private func inOrder(_ rows: [JSONValue], _ typeName: String, _ hasOrder: Bool) -> [JSONValue] {
        guard !hasOrder, actions != nil, let type = try? encoding.schema.type(named: typeName) else { return rows }
        return rows.map { (key: JSONWriter.bytes(of: type.id(in: $0)), row: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.row)
    }

    // MARK: Reporting

    /// Returns the change set that caused an update. The candidates are the change sets since the previous update that change
    /// records which the request may read. The result is the last candidate up to the recorded position of the update; nil if
    /// none is known.
    private func cause(of expected: TraceDelivery, _ subscription: Subscription) -> String? {
        let types = schema.reachable(from: subscription.made.key)
        let candidates = recent.after(subscription.given, changing: types)
        guard let last = candidates.last(where: { $0.commit.sequence <= expected.sequence }) ?? candidates.last else {
            return nil
        }
        guard candidates.count > 1 else { return Self.text(last) }
        return Self.text(last)
            + "; one of \(candidates.count) possible change sets, the first in line \(candidates[0].line)"
    }

    private static func text(_ entry: RecentCommits.Entry) -> String {
        "line \(entry.line): " + JSONWriter.text(of: TraceFrame.commit(entry.commit).json)
    }

    private func divergence(_ line: Int, _ reason: String, _ expected: String, _ found: String) -> ReplayDivergence {
        let cause = recent.last.map(Self.text)
        let foreign = lastReset.map {
            "; a program that is not ModelStore wrote change set \($0), and a trace lacks its changes: begin the recording after it"
        }
        // A misspelled mask may be the cause of the difference.
        let mask = comparison.mistakenMask.map { "; \($0)" }
        return ReplayDivergence(
            line: line, sequence: recent.last?.commit.sequence ?? header.start.sequence,
            reason: reason + (foreign ?? "") + (mask ?? ""),
            expected: expected, found: found, cause: cause ?? "the first rows of the trace")
    }

    private func text(_ changes: [TraceChange]) -> String { JSONWriter.text(of: .array(changes.map(\.json))) }

    private static func text(_ result: [UInt8]?) -> String {
        result.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
    }

    private func damaged(_ line: Int, _ mistake: TraceMistake) -> StoreError {
        StoreError(
            .traceDamaged, "line \(line) of the trace: \(mistake.reason)", remedy: "record it again", cause: mistake)
    }
}
