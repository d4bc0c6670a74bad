/// Holds the current problems, and derives the alerts that begin and end.
struct AlertLedger {
    /// The subject of an alert.
    enum Kind: String, Hashable {
        /// The state of the machine cannot be mirrored.
        case mirror
        case mount
        case process
        /// The thresholds are not in effect.
        case thresholds
    }

    /// A current problem.
    struct Entry: Equatable {
        /// Identifies the problem among those of its kind.
        let id: String
        /// The name for the user.
        let name: String
        /// The description of the problem.
        let text: String
    }

    /// The problems by kind, in the order of the last report.
    private var entries: [Kind: [Entry]] = [:]

    /// Replaces the problems of a kind.
    ///
    /// - Returns: a line for each alert that ends, then one for each that begins. A problem that persists has no further line.
    mutating func update(_ kind: Kind, _ current: [Entry]) -> [String] {
        let known = entries[kind] ?? []
        let currentIDs = Set(current.map(\.id))
        let knownIDs = Set(known.map(\.id))
        entries[kind] = current
        return known.filter { !currentIDs.contains($0.id) }.map { "alert ends: \(kind.rawValue) \($0.name)" }
            + current.filter { !knownIDs.contains($0.id) }.map {
                "alert begins: \(kind.rawValue) \($0.name): \($0.text)"
            }
    }
}
