import StoreEngine

/// The records that a write to records of one type deletes and changes, with those that follow by the delete rules of references.
struct WrittenRecords: Sendable, Equatable {
    let typeName: String
    /// The records that the command names or finds.
    let namedCount: Int
    private var deleted: [String: Int] = [:]
    private var changed: [String: Int] = [:]

    /// Counts the changes of a transaction.
    ///
    /// - Throws: ``StoreError`` when the writes so far could not be committed.
    init(_ typeName: String, namedCount: Int, in transaction: borrowing WriteTransaction) throws {
        self.typeName = typeName
        self.namedCount = namedCount
        try transaction.forEachPendingChange { change in
            if change.kind == .delete {
                deleted[change.typeName, default: 0] += 1
            } else {
                changed[change.typeName, default: 0] += 1
            }
        }
    }

    /// The counts of a deletion as one line.
    func deletionText(isDry: Bool) -> String {
        var followed = deleted
        followed[typeName, default: 0] -= namedCount
        let deletions = ["\(namedCount) \(typeName)"] + Self.texts(followed).map { "\($0) by cascade" }
        let changes = Self.texts(changed)
        return Self.sentence(
            [("delete", "deleted", deletions), ("change", "changed", changes.map { "\($0) by nullify" })], isDry: isDry)
    }

    /// The counts of a change of fields as one line.
    func changeText(isDry: Bool) -> String {
        let count = changed[typeName] ?? 0
        let text = Self.sentence([("change", "changed", ["\(count) \(typeName)"])], isDry: isDry)
        return count == namedCount ? text : "\(text); \(namedCount - count) already had these values"
    }

    private static func texts(_ counts: [String: Int]) -> [String] {
        counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    }

    private static func sentence(_ parts: [(verb: String, done: String, records: [String])], isDry: Bool) -> String {
        parts.filter { !$0.records.isEmpty }.map { part in
            "\(isDry ? "would \(part.verb)" : part.done) \(part.records.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
