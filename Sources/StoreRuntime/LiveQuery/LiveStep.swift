package import StoreEngine

/// What a subscriber to a live query is given at a time, whatever the form: from which result to which.
package struct LiveStep: Sendable {
    /// What was given before; nil at the beginning.
    package let old: LiveShown?
    /// What is shown now.
    package let new: LiveShown
    /// What leads from one to the other; nil where nothing was given before, or there would be more changes than rows.
    package let difference: LiveDifference?

    /// What leads from `old` to `new`.
    ///
    /// - Parameter fields: the fields whose changes are told, by their places in the store; nil for all.
    init(from old: LiveShown?, to new: LiveShown, fields: PlaceSet?) {
        self.old = old
        self.new = new
        let difference = old.map { LiveDifference(from: $0.rows, to: new.rows, fields: fields) }
        let isLong = difference.map { $0.count > Swift.max(new.rows.count, LiveStep.smallCount) } ?? true
        self.difference = isLong ? nil : difference
    }

    /// Whether there is anything to tell. Where records are only counted there are no rows.
    var isDifferent: Bool { difference.map { !$0.isEmpty || old?.count != new.count } ?? true }

    /// So many changes are told however few rows there are.
    private static var smallCount: Int { 16 }
}
