package import StoreEngine

/// One delivery to a subscriber of a live query, in any form: the result before, and the result now.
package struct LiveStep: Sendable {
    /// The result that the subscriber received before; nil at the beginning.
    package let old: LiveVersion?
    /// The current result.
    package let new: LiveVersion
    /// The complete difference between the two results; nil if the subscriber received nothing before.
    package let wholeDifference: LiveDifference?

    /// Creates the step from `old` to `new`.
    init(from old: LiveVersion?, to new: LiveVersion) {
        self.old = old
        self.new = new
        wholeDifference = old.map { old in
            // If another record type replaced the type, its records are unrelated to the earlier ones.
            old.type.type.id == new.type.type.id
                ? LiveDifference(from: old.rows, to: new.rows, of: new.type, fields: new.fields)
                : LiveDifference(replacing: old.rows, with: new.rows)
        }
    }

    /// The difference between the two results. Nil if the subscriber received nothing before, or if there are more changes than
    /// the new result has rows and more than `smallCount`.
    package var difference: LiveDifference? {
        wholeDifference.flatMap { $0.count > Swift.max(new.rows.count, LiveStep.smallCount) ? nil : $0 }
    }

    /// Whether the subscriber has anything to receive. A new version of the record type counts too. A result that only counts
    /// records has no rows, so the counts are compared.
    var isDifferent: Bool {
        guard let old, let whole = wholeDifference else { return true }
        return !whole.isEmpty || old.count != new.count || !old.type.type.isSameVersion(as: new.type.type)
    }

    /// Up to this number of changes, a step delivers a difference even if the result has fewer rows.
    private static var smallCount: Int { 16 }
}
