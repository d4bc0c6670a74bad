package import StoreEngine

/// One delivery to a subscriber of a live query, in any form: the result before, and the result now.
package struct LiveStep: Sendable {
    /// The result that the subscriber received before; nil at the beginning.
    package let old: LiveVersion?
    /// The current result.
    package let new: LiveVersion
    /// The complete difference between the two results; nil if the subscriber received nothing before.
    package let wholeDifference: LiveDifference?

    private init(from old: LiveVersion?, to new: LiveVersion, _ difference: LiveDifference?) {
        self.old = old
        self.new = new
        wholeDifference = difference
    }

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

    /// Returns the step without the updates of records that another program has changed only in parts that `R` does not declare.
    func narrowed<R: Record>(to type: R.Type) -> LiveStep {
        guard let old, let whole = wholeDifference, let before = try? old.catalog.binding(R.self),
            let after = try? new.catalog.binding(R.self), after.hasUndeclaredParts
        else { return self }
        let fields = new.fields.map { after.declaredFieldIndexes(of: $0) } ?? .all
        let difference = whole.filteringUpdates { update in
            if update.isReplaced || !update.changedFollowed.isEmpty { return true }
            // The subscriber receives the error of a record that cannot be decoded.
            guard let left = try? old.rows[update.from].content.record(R.self, before),
                let right = try? new.rows[update.to].content.record(R.self, after)
            else { return true }
            return ChangedFields(from: left, to: right).intersects(declared: fields)
        }
        return LiveStep(from: old, to: new, difference)
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
