/// What is wrong at the moment, and so which alerts begin and end.
struct AlertLedger {
    /// What an alert is about.
    enum Kind: String, Hashable {
        /// The state of the machine cannot be mirrored.
        case mirror
        case mount
        case process
        /// What the thresholds say is not asked for.
        case thresholds
    }

    /// Something that is wrong.
    struct Entry: Equatable {
        /// What tells it from others of its kind.
        let id: String
        /// What people call it.
        let name: String
        /// What is wrong with it.
        let text: String
    }

    /// By kind, in the order in which they were told.
    private var entries: [Kind: [Entry]] = [:]

    /// Notes all that is wrong of a kind.
    ///
    /// - Returns: a line for each alert that ends, then one for each that begins. That something stays wrong is not told
    ///   again.
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
