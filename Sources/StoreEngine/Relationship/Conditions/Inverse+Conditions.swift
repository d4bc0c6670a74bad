// Conditions on the records that refer to one: `Author.where { _ in Author.books.any { $0.year > 2000 } }`.
extension Inverse {
    /// Whether a record that refers to this one meets a condition.
    ///
    /// - Parameter condition: gets the tokens of the fields of the record that refers.
    public func any(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Target> { own.any(condition) }

    /// Whether all records that refer to this one meet a condition; true where there are none.
    ///
    /// - Parameter condition: gets the tokens of the fields of the record that refers.
    public func all(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Target> { own.all(condition) }

    /// Whether no record refers to this one.
    public var isEmpty: Condition<Target> { own.isEmpty }

    /// The number of records that refer to this one, to be compared. One that does so more than once counts once.
    public var count: FieldCount<Target> { own.count }

    /// The number of records that refer to this one and meet a condition, to be compared.
    ///
    /// - Parameter condition: gets the tokens of the fields of the record that refers.
    public func count(where condition: (Source.Fields) -> Condition<Source>) -> FieldCount<Target> {
        own.count(where: condition)
    }

    private var own: InversePath<Target, Source> { InversePath(self, behind: FieldName([])) }
}
