package import StoreEngine

/// What a subscriber to a live query is given at a time, whatever the form: from which result to which.
package struct LiveStep: Sendable {
    /// What was given before; nil at the beginning.
    package let old: LiveShown?
    /// What is shown now.
    package let new: LiveShown
    /// All that leads from one to the other; nil where nothing was given before.
    package let wholeDifference: LiveDifference?

    /// What leads from `old` to `new`.
    init(from old: LiveShown?, to new: LiveShown) {
        self.old = old
        self.new = new
        wholeDifference = old.map { old in
            // Where another type took the place of one, none of its records is any of the earlier ones.
            old.type.type.id == new.type.type.id
                ? LiveDifference(from: old.rows, to: new.rows, of: new.type, fields: new.fields)
                : LiveDifference(replacing: old.rows, with: new.rows)
        }
    }

    /// What leads from one to the other; nil where nothing was given before, or there would be more changes than rows.
    package var difference: LiveDifference? {
        wholeDifference.flatMap { $0.count > Swift.max(new.rows.count, LiveStep.smallCount) ? nil : $0 }
    }

    /// Whether there is anything to tell: also that the record type is another version of itself. Where records are only counted there
    /// are no rows.
    var isDifferent: Bool {
        guard let old, let whole = wholeDifference else { return true }
        return !whole.isEmpty || old.count != new.count || !old.type.type.isSameVersion(as: new.type.type)
    }

    /// So many changes are told however few rows there are.
    private static var smallCount: Int { 16 }
}
