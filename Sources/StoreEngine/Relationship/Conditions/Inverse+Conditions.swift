// Conditions on the records that refer to a record: `Author.where { _ in Author.books.any { $0.year > 2000 } }`.
extension Inverse {
    /// Returns a condition that holds if at least one record that refers to this record meets `condition`.
    ///
    /// - Parameter condition: makes a condition from the tokens of the referring record's fields.
    public func any(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Target> { own.any(condition) }

    /// Returns a condition that holds if all records that refer to this record meet `condition`. It also holds if no record
    /// refers to this record.
    ///
    /// - Parameter condition: makes a condition from the tokens of the referring record's fields.
    public func all(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Target> { own.all(condition) }

    /// A condition that holds if no record refers to this record.
    public var isEmpty: Condition<Target> { own.isEmpty }

    /// The number of records that refer to this record, for use in a comparison. A record that refers to it several times counts
    /// once.
    public var count: FieldCount<Target> { own.count }

    /// Returns the number of records that refer to this record and meet `condition`, for use in a comparison.
    ///
    /// - Parameter condition: makes a condition from the tokens of the referring record's fields.
    public func count(where condition: (Source.Fields) -> Condition<Source>) -> FieldCount<Target> {
        own.count(where: condition)
    }

    private var own: InversePath<Target, Source> { InversePath(self, behind: FieldName([])) }
}
