/// How a migration's change set shows which record each new one replaces.
///
/// A *replacement* is the end of a record and, directly behind it, the inserts that replace it. Records that exchange their ids
/// end together, before as many inserts in the same order. So a reader that applies the changes one after the other never deletes
/// a new record.
enum Replacement {
    /// The maximum number of records that end together. Longer runs of deletes, and those with more inserts behind them, say
    /// nothing of replacements.
    static let maximumRun = 64
    /// The maximum number of records by which one record is replaced.
    private static let maximumInserts = 8

    /// Deletes of records of one type, and the inserts behind them.
    private struct Run {
        var deletes: Range<Int>
        var insertCount = 0

        /// The maximum number of inserts.
        private var limit: Int { deletes.count == 1 ? maximumInserts : deletes.count <= maximumRun ? deletes.count : 0 }

        /// Whether the run may grow by a change and still be a replacement, or be one insert too long for it.
        func mayGrow(by change: FeedChange, _ changes: [FeedChange]) -> Bool {
            switch change.kind {
            case .insert: !deletes.isEmpty && insertCount <= limit
            case .delete: continues(with: change, changes) && deletes.count <= maximumRun
            default: false
            }
        }

        func continues(with change: FeedChange, _ changes: [FeedChange]) -> Bool {
            insertCount == 0 && !deletes.isEmpty && changes[deletes.lowerBound].type == change.type
        }

        /// The indexes of its inserts, each with that of the delete. A record that only ends comes before the others.
        var sources: [(insert: Int, delete: Int)] {
            guard insertCount <= limit else { return [] }
            let inserts = deletes.upperBound..<deletes.upperBound + insertCount
            if deletes.count == 1 { return inserts.map { ($0, deletes.lowerBound) } }
            return zip(inserts, deletes.suffix(insertCount)).map { ($0, $1) }
        }
    }

    /// Calls `body` with each run in a range of changes.
    private static func forEachRun(in range: Range<Int>, of changes: [FeedChange], _ body: (Run) -> Void) {
        var run = Run(deletes: range.lowerBound..<range.lowerBound)
        for index in range {
            switch changes[index].kind {
            case .insert where !run.deletes.isEmpty: run.insertCount += 1
            case .delete where run.continues(with: changes[index], changes):
                run.deletes = run.deletes.lowerBound..<index + 1
            case .delete:
                body(run)
                run = Run(deletes: index..<index + 1)
            default:
                body(run)
                run = Run(deletes: index + 1..<index + 1)
            }
        }
        body(run)
    }

    /// Returns, for the index of each insert that replaces a record, the index of the delete of that record.
    static func sources(in changes: [FeedChange]) -> [Int: Int] {
        var sources: [Int: Int] = [:]
        forEachRun(in: changes.indices, of: changes) { run in
            for (insert, delete) in run.sources { sources[insert] = delete }
        }
        return sources
    }

    /// Returns whether the next change may belong to a replacement that began in `changes`. A part of a change set holds all of
    /// it.
    ///
    /// - Complexity: O(1)
    static func mayContinue(_ changes: [FeedChange], with next: FeedChange) -> Bool {
        var last = Run(deletes: 0..<0)
        let beginning = max(changes.count - 3 * maximumRun, 0)
        forEachRun(in: beginning..<changes.count, of: changes) { last = $0 }
        return last.mayGrow(by: next, changes)
    }
}

extension FeedPart {
    /// For the index of each insert that replaces a record, the index of the delete of that record. Only migrations replace
    /// records.
    var replacedIndexes: [Int: Int] {
        header.origin.kind.isMigration ? Replacement.sources(in: changes) : [:]
    }
}

/// The records that a migration ends and those that replace them, by their numbers among the changes of the write.
struct Replacements {
    private var groups: [(end: Int, inserts: [Int])] = []
    private var groupsByEnd: [Int: Int] = [:]
    private var groupsByInsert: [Int: Int] = [:]

    /// Notes that a record ends, and which records replace it. If an earlier step made the record, its replacements replace the
    /// one from which it was made.
    mutating func note(end: Int, inserts: Range<Int>) {
        let group: Int
        if let known = groupsByEnd[end] {
            group = known
        } else if let made = groupsByInsert[end] {
            group = made
            groups[made].inserts.removeAll { $0 == end }
            groupsByEnd[end] = made
        } else {
            group = groups.count
            groupsByEnd[end] = group
            groups.append((end, []))
        }
        groups[group].inserts += inserts
        for insert in inserts { groupsByInsert[insert] = group }
    }

    /// Returns the numbers of all changes in the order in which the change set lists them; nil if no record was replaced.
    ///
    /// - Parameters:
    ///   - changes: the numbers of all changes.
    ///   - key: returns the key of a change's record.
    ///   - isSuccessor: whether the type of an insert takes the place of the type of an end.
    func order(
        of changes: Range<Int>, key: (Int) -> [UInt8], isSuccessor: (_ end: Int, _ insert: Int) -> Bool
    ) -> [Int]? {
        if groups.isEmpty { return nil }
        var groupsByKey: [[UInt8]: [Int]] = [:]
        for (number, group) in groups.enumerated() { groupsByKey[key(group.end), default: []].append(number) }
        var isOther = Array(repeating: true, count: changes.count)
        var all: [ReplacementOrder.Group] = []
        for (number, group) in groups.enumerated() {
            isOther[group.end] = false
            var awaited: Int?
            for insert in group.inserts {
                isOther[insert] = false
                if awaited != nil { continue }
                awaited = groupsByKey[key(insert)]?.first { $0 != number && isSuccessor(groups[$0].end, insert) }
            }
            all.append(ReplacementOrder.Group(end: group.end, inserts: group.inserts, awaited: awaited))
        }
        return ReplacementOrder(others: changes.filter { isOther[$0] }, groups: all).order
    }
}

/// The order in which the change set of a migration lists its changes, so that ``Replacement`` finds the replacements.
///
/// A record ends before another record gets its id, except where records exchange their ids. Each replacement awaits at most one
/// other, so a walk from each replacement to the awaited one finds the order, and the circles.
struct ReplacementOrder {
    /// The end of a record, and the inserts that replace it, by their numbers.
    struct Group {
        let end: Int
        let inserts: [Int]
        /// Another group, whose record has the id of an insert of this one; nil if there is none.
        let awaited: Int?
    }

    /// The numbers of all changes: inserts without a link to a replaced record, changes outside of the groups, ends without
    /// inserts that others await, the inserts of long circles, the replacements, and the other ends.
    var order: [Int] { unlinked + others + first + circled + replacements + last }

    private var unlinked: [Int] = []
    private var first: [Int] = []
    /// The inserts of circles that are too long for a replacement.
    private var circled: [Int] = []
    private let others: [Int]
    private var replacements: [Int] = []
    private var last: [Int] = []
    private let groups: [Group]
    private var isListed: [Bool]

    /// - Parameter others: the changes that belong to no group.
    /// - Complexity: O(changes)
    init(others: [Int], groups: [Group]) {
        self.others = others
        self.groups = groups
        isListed = Array(repeating: false, count: groups.count)
        for group in groups.indices where !groups[group].inserts.isEmpty { list(group) }
        for group in groups.indices where !isListed[group] { last.append(groups[group].end) }
        separate()
    }

    /// Lists a group after those that it awaits, and those that await each other together.
    private mutating func list(_ group: Int) {
        var path: [Int] = []
        var places: [Int: Int] = [:]
        var next: Int? = group
        while let group = next, !isListed[group], places[group] == nil {
            places[group] = path.count
            path.append(group)
            next = groups[group].awaited
        }
        for group in path { isListed[group] = true }
        if let place = next.flatMap({ places[$0] }) {
            let circle = path[place...].map { groups[$0] }
            path.removeSubrange(place...)
            unlinked += circle.flatMap { $0.inserts.dropFirst() }
            if circle.count > Replacement.maximumRun {
                first += circle.map(\.end)
                circled += circle.compactMap(\.inserts.first)
            } else {
                replacements += circle.map(\.end) + circle.compactMap(\.inserts.first)
            }
        }
        for group in path.reversed() {
            if groups[group].inserts.isEmpty {
                first.append(groups[group].end)
            } else {
                replacements.append(groups[group].end)
                replacements += groups[group].inserts
            }
        }
    }

    /// Moves inserts out of the first replacement that would seem to replace the records before it, which only end.
    private mutating func separate() {
        guard !first.isEmpty, circled.isEmpty, replacements.count > 2,
            let group = groups.first(where: { $0.end == replacements[0] }),
            group.inserts.count > 1, replacements[1] == group.inserts[0]
        else { return }
        unlinked += group.inserts.dropFirst()
        replacements.removeSubrange(2..<1 + group.inserts.count)
    }
}
