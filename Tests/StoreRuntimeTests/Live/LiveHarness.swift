import LMDB
import StoreEngine
import StoreRuntime
import TestSupport

/// Live requests over a real store. After each step, the harness compares every result with a fetch of the same request.
struct LiveHarness {
    /// A request and the results seen so far.
    struct Subject {
        var id: LiveRequestID
        let request: Request
        let typeIndex: Int
        var isCount = false
        var fields: FieldIndexSet?
        /// Whether rows can move although their records did not change.
        var dependsOnOthers = false
        var rows = LiveRows()
        var count = 0
        /// The last result that a slow subscriber saw.
        var seen = LiveRows()
    }

    /// A stored record.
    struct Stored {
        let content: RecordContent
        let id: [DynamicValue]
    }

    /// A request that has run in a matcher of its own and has not joined the others yet.
    private struct Start {
        var matcher: LiveMatcher
        var subject: Subject
    }

    let store: Store
    var matcher: LiveMatcher
    var subjects: [Subject] = []
    private var starts: [Start] = []
    /// For each type, the records by key at the end of the last step.
    private(set) var tables: [[[UInt8]: Stored]]

    init(_ store: Store, lookahead: Int? = nil) throws {
        self.store = store
        matcher = LiveMatcher(lookahead: lookahead)
        tables = try store.read { tx in try Self.read(tx._reading) }
    }

    /// Adds a request and checks its first result.
    @discardableResult
    mutating func add(
        _ request: Request, typeIndex: Int = 0, fields: FieldIndexSet? = nil, dependsOnOthers: Bool = false
    ) throws -> Int {
        let subject = try run(request, typeIndex: typeIndex, fields: fields, dependsOnOthers, in: &matcher)
        return try take(subject)
    }

    /// Adds a request that only counts.
    @discardableResult
    mutating func addCount(_ request: Request, typeIndex: Int = 0) throws -> Int {
        try take(runCount(request, typeIndex: typeIndex, in: &matcher))
    }

    /// Runs a request in a matcher of its own. It joins the others after the next step.
    mutating func start(
        _ request: Request, typeIndex: Int = 0, fields: FieldIndexSet? = nil, isCount: Bool = false
    ) throws {
        var apart = LiveMatcher()
        let subject =
            isCount
            ? try runCount(request, typeIndex: typeIndex, in: &apart)
            : try run(request, typeIndex: typeIndex, fields: fields, false, in: &apart)
        starts.append(Start(matcher: apart, subject: subject))
    }

    private func run(
        _ request: Request, typeIndex: Int, fields: FieldIndexSet?, _ dependsOnOthers: Bool,
        in matcher: inout LiveMatcher
    ) throws -> Subject {
        var changed = matcher
        let id = try store.read { tx in
            try changed.add(request, typeIndex: typeIndex, fields: fields, in: tx._reading)
        }
        matcher = changed
        var subject = Subject(id: id, request: request, typeIndex: typeIndex, fields: fields)
        subject.dependsOnOthers = dependsOnOthers
        return subject
    }

    private func runCount(_ request: Request, typeIndex: Int, in matcher: inout LiveMatcher) throws -> Subject {
        var changed = matcher
        let id = try store.read { tx in try changed.addCount(request, typeIndex: typeIndex, in: tx._reading) }
        matcher = changed
        var subject = Subject(id: id, request: request, typeIndex: typeIndex)
        subject.isCount = true
        return subject
    }

    /// Registers a request that the matcher already has, and checks its result.
    private mutating func take(_ subject: Subject) throws -> Int {
        var subject = subject
        subject.rows = subject.isCount ? LiveRows() : matcher.rows(subject.id)
        subject.count = matcher.count(subject.id)
        subject.seen = subject.rows
        subjects.append(subject)
        try store.read { tx in try check(subject, tx._reading) }
        return subjects.count - 1
    }

    mutating func remove(_ number: Int) {
        matcher.remove(subjects[number].id)
        subjects.remove(at: number)
    }

    /// Applies all writes since the last step, and checks every result.
    ///
    /// - Returns: The numbers of the requests that changed.
    @discardableResult
    mutating func step(reversed: Bool = false) throws -> [Int] {
        let old = tables
        var (matcher, starts) = (matcher, starts)
        let (tables, outcome) = try store.read { tx in
            let tables = try Self.read(tx._reading)
            var changes = try Self.changes(from: old, to: tables, tx._reading.catalog)
            if reversed { changes.reverse() }
            for number in starts.indices {
                if let failure = starts[number].matcher.apply(changes, in: tx._reading).failures.first {
                    throw failure.error
                }
            }
            return (tables, matcher.apply(changes, in: tx._reading))
        }
        matcher._checkInvariants()
        self.matcher = matcher
        self.tables = tables
        let changed = try take(outcome)
        for start in starts {
            var subject = start.subject
            subject.id = self.matcher.adopt(subject.id, of: start.matcher)
            _ = try take(subject)
        }
        self.starts = []
        return changed
    }

    /// Reruns all requests, and checks every result.
    mutating func rerunAll() throws -> [Int] {
        var matcher = matcher
        let (tables, outcome) = try store.read { tx in
            (try Self.read(tx._reading), matcher.rerunAll(in: tx._reading))
        }
        self.matcher = matcher
        self.tables = tables
        return try take(outcome)
    }

    private mutating func take(_ outcome: LiveOutcome) throws -> [Int] {
        if let failure = outcome.failures.first { throw failure.error }
        guard outcome.changed == outcome.changed.sorted() else {
            throw Mismatch("the changed requests are out of order")
        }
        try store.read { tx in
            for number in subjects.indices {
                let isChanged = outcome.changed.contains(subjects[number].id)
                try checkStep(&subjects[number], isChanged: isChanged, tx._reading)
            }
        }
        return subjects.indices.filter { outcome.changed.contains(subjects[$0].id) }
    }

    // MARK: Checks

    private func checkStep(_ subject: inout Subject, isChanged: Bool, _ scope: borrowing ReadContext) throws {
        try check(subject, scope)
        if subject.isCount {
            let count = matcher.count(subject.id)
            guard isChanged == (count != subject.count) else { throw Mismatch("told \(isChanged) of a count") }
            subject.count = count
            return
        }
        let (old, new) = (subject.rows, matcher.rows(subject.id))
        guard isChanged == Self.isVisible(old, new, subject.fields) else {
            throw Mismatch("told \(isChanged): \(subject.request), fields \(String(describing: subject.fields))")
        }
        try Self.checkDifference(old, new, subject)
        var kept: [[UInt8]: LiveRow] = [:]
        for row in old { kept[row.key] = row }
        for row in new where !subject.dependsOnOthers {
            guard let former = kept[row.key], former.content.bytes == row.content.bytes else { continue }
            guard former === row else { throw Mismatch("an unchanged row is another object: \(subject.request)") }
        }
        // A slow subscriber sees several steps as one update.
        if subject.seen.count % 3 == 0 || isChanged && new.count % 2 == 0 {
            try Self.checkDifference(subject.seen, new, subject)
            subject.seen = new
        }
        subject.rows = new
    }

    /// Checks that the result equals a fetch.
    private func check(_ subject: Subject, _ scope: borrowing ReadContext) throws {
        if subject.isCount {
            let expected = try scope.count(subject.request, typeIndex: subject.typeIndex)
            let count = matcher.count(subject.id)
            if count != expected { throw Mismatch("counted \(count), not \(expected): \(subject.request)") }
            return
        }
        var request = subject.request
        let type = scope.catalog.types[subject.typeIndex]
        if request.order.isEmpty {
            request.order = type.idParts.map { SortTerm(FieldName([type.type.fields[$0.fieldIndex].name])) }
        }
        var expected: [[DynamicValue]] = []
        try scope.fetchDynamic(request, typeIndex: subject.typeIndex) { record in
            expected.append(type.idParts.map { record.values[$0.fieldIndex] })
            return true
        }
        let table = tables[subject.typeIndex]
        let rows = matcher.rows(subject.id)
        let found = rows.map { table[$0.key]?.id ?? [] }
        if found != expected { throw Mismatch("rows are \(found), not \(expected): \(request)") }
        for row in rows where table[row.key]?.content.bytes != row.content.bytes {
            throw Mismatch("a row has old bytes: \(request)")
        }
        let paths = try (request.fields ?? []).compactMap { try ReferencePath($0, from: type, in: scope.catalog) }
        for row in rows {
            let bytes = row.content.bytes
            let record = try unsafe DynamicRecord(unverified: bytes.span.bytes, of: type)
            let followed = try paths.map { try $0.value(from: record, in: scope) }
            if row.followed != followed { throw Mismatch("\(row.followed) stands for \(followed): \(request)") }
        }
    }

    private static func isVisible(_ old: LiveRows, _ new: LiveRows, _ fields: FieldIndexSet?) -> Bool {
        if old.map(\.key) != new.map(\.key) { return true }
        return zip(old, new).contains { before, after in
            if before.followed != after.followed { return true }
            guard let change = try? difference(before.content, after.content) else { return true }
            return change.isReplaced
                || (fields.map { change.fieldIndexes.intersects($0) } ?? !change.fieldIndexes.isEmpty)
        }
    }

    private static func difference(
        _ old: RecordContent, _ new: RecordContent
    ) throws -> (fieldIndexes: FieldIndexSet, isReplaced: Bool) {
        if old.bytes == new.bytes { return (FieldIndexSet(), false) }
        let (oldBytes, newBytes) = (old.bytes, new.bytes)
        let before = try unsafe RecordBytes(unverified: oldBytes.span.bytes)
        let after = try unsafe RecordBytes(unverified: newBytes.span.bytes)
        return (
            FieldIndexSet(try RecordDifference.changedFieldIndexes(from: before, to: after.bytes)),
            before.incarnation != after.incarnation
        )
    }

    static func checkDifference(_ old: LiveRows, _ new: LiveRows, _ subject: Subject) throws {
        let difference = LiveDifference(from: old, to: new)
        let applied = try difference.applied(to: old, new)
        guard applied.map(\.key) == new.map(\.key) else {
            throw Mismatch("\(difference) leads elsewhere: \(subject.request)")
        }
        for (row, expected) in zip(applied, new) where row.content.bytes != expected.content.bytes {
            throw Mismatch("\(difference) leaves out an update: \(subject.request)")
        }
        for (row, expected) in zip(applied, new) where row.followed != expected.followed {
            throw Mismatch("\(difference) leaves out what a row refers to: \(subject.request)")
        }
        for move in difference.moves where old[move.from].sortKey == new[move.to].sortKey {
            throw Mismatch("\(difference) moves a row that merely shifts: \(subject.request)")
        }
        let renewed = Set(difference.renewed)
        var kept: [[UInt8]: LiveRow] = [:]
        for row in old { kept[row.key] = row }
        for (index, row) in new.enumerated() where kept[row.key]?.content !== row.content && !renewed.contains(index) {
            throw Mismatch("\(difference) does not name a row with another record: \(subject.request)")
        }
        guard let fields = subject.fields else { return }
        let scoped = LiveDifference(from: old, to: new, fields: fields)
        let told = difference.updates.filter { update in
            update.isReplaced || update.changedFieldIndexes.intersects(fields) || !update.changedFollowed.isEmpty
        }
        guard scoped.updates == told, scoped.deletes == difference.deletes, scoped.inserts == difference.inserts,
            scoped.moves == difference.moves
        else { throw Mismatch("\(scoped) is not what \(fields) tell of \(difference)") }
    }

    // MARK: Steps

    private static func read(_ scope: borrowing ReadContext) throws -> [[[UInt8]: Stored]] {
        try scope.catalog.types.map { type in
            var table: [[UInt8]: Stored] = [:]
            for entry in try scope.snapshot.entries(of: type.database) {
                let record = try unsafe DynamicRecord(unverified: entry.value.span.bytes, of: type)
                table[entry.key] = Stored(
                    content: RecordContent(entry.value), id: type.idParts.map { record.values[$0.fieldIndex] })
            }
            return table
        }
    }

    /// Returns the net changes, by comparing all records.
    private static func changes(
        from old: [[[UInt8]: Stored]], to new: [[[UInt8]: Stored]], _ catalog: Catalog
    ) throws -> [StepChange] {
        var changes: [StepChange] = []
        for (type, (before, after)) in zip(catalog.types, zip(old, new)) {
            for key in Set(before.keys).union(after.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                let (own, other) = (before[key]?.content, after[key]?.content)
                if own?.bytes == other?.bytes { continue }
                changes.append(try StepChange(type: type, key: key, before: own, after: other))
            }
        }
        return changes
    }
}

extension LiveDifference {
    /// Returns the rows after this difference is applied in the documented order.
    func applied(to old: LiveRows, _ new: LiveRows) throws -> [LiveRow] {
        var rows = Array(old)
        for index in (deletes + moves.map(\.from)).sorted().reversed() { rows.remove(at: index) }
        for index in (inserts + moves.map(\.to)).sorted() {
            guard index <= rows.count else { throw Mismatch("\(self) inserts past the end") }
            // A moved row is inserted with its old content.
            let moved = moves.first { $0.to == index }.map { old[$0.from] }
            rows.insert(moved ?? new[index], at: index)
        }
        for update in updates {
            guard rows[update.to].key == old[update.from].key else { throw Mismatch("\(self) names another row") }
            rows[update.to] = new[update.to]
        }
        return rows
    }
}
