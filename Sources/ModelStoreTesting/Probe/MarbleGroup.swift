import ModelStore

/// The contents of one update, as a marble line shows them.
struct MarbleGroup: Hashable, CustomStringConvertible {
    /// One change.
    enum Marble: Hashable {
        /// All rows, of an update that is a reset.
        case rows([String])
        case delete(String)
        case move(String, to: Int)
        /// Without an index, it matches an insert at any index.
        case insert(String, at: Int?)
        case update(String, isReplaced: Bool)

        /// The order in which a live query's changes are applied.
        private var rank: Int {
            switch self {
            case .rows: 0
            case .delete: 1
            case .move: 2
            case .insert: 3
            case .update: 4
            }
        }

        /// Whether changes of this kind are applied before changes of the other kind.
        func isBefore(_ other: Marble) -> Bool { rank < other.rank }

        /// Returns this marble in the form of `expected`: without an index if `expected` has none.
        func shown(beside expected: Marble?) -> Marble {
            guard case .insert(let label, at: .some) = self, case .insert(_, at: nil) = expected else { return self }
            return .insert(label, at: nil)
        }
    }

    private(set) var marbles: [Marble]

    /// - Parameter marbles: the changes; changes of one kind in the order of delivery.
    init(_ marbles: [Marble]) {
        self.marbles = []
        // A stable sort by kind, which is the order in which changes are applied.
        for marble in marbles {
            let index = self.marbles.firstIndex { marble.isBefore($0) } ?? self.marbles.endIndex
            self.marbles.insert(marble, at: index)
        }
    }

    /// The contents of an update.
    init<R: Record>(_ update: LiveUpdate<R>, label: (R) -> String) {
        let (changes, results) = (update.changes, update.results)
        guard !changes.isReset else {
            self.init([.rows(results.map(label))])
            return
        }
        self.init(
            changes.deletes.map { .delete(label($0.record)) }
                + changes.moves.map { .move(label(results[$0.to]), to: $0.to) }
                + changes.inserts.map { .insert(label($0.record), at: $0.index) }
                + changes.updates.map { .update(label($0.new), isReplaced: $0.isReplaced) })
    }

    /// Returns this group in the form of `expected`.
    func shown(beside expected: MarbleGroup?) -> MarbleGroup {
        var shown = self
        for index in marbles.indices {
            let other = expected.flatMap { $0.marbles.indices.contains(index) ? $0.marbles[index] : nil }
            shown.marbles[index] = marbles[index].shown(beside: other)
        }
        return shown
    }

    var description: String { marbles.map(\.description).joined(separator: ",") }
}

extension MarbleGroup.Marble: CustomStringConvertible {
    var description: String {
        switch self {
        case .rows(let labels):
            // Labels of one character need no separator. A comma marks a single longer label.
            if labels.allSatisfy({ $0.count == 1 }) { return "(\(labels.joined()))" }
            return labels.count == 1 ? "(\(labels[0]),)" : "(\(labels.joined(separator: ",")))"
        case .delete(let label): return "-\(label)"
        case .move(let label, let index): return "\(label)>\(index)"
        case .insert(let label, nil): return "+\(label)"
        case .insert(let label, let index?): return "+\(label)@\(index)"
        case .update(let label, let isReplaced): return "~\(label)\(isReplaced ? "!" : "")"
        }
    }
}
