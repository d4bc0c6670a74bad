import ModelStore

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

        init(id: String, name: String, text: String) {
            self.id = id
            self.name = name
            self.text = text
        }

        /// The problem that an error keeps the machine from being mirrored. An error with another code is another problem, such
        /// as a replica that has stopped after its log could not be reached.
        init(mirroring error: any Error) {
            self.init(
                id: (error as? StoreError)?.code.description ?? "", name: "of this machine", text: "\(error)")
        }
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
