/// The records that refer to a record at the end of a path of references. In a request for books,
/// `$0.author.inverse(Author.books)` stands for all books of the book's author.
///
/// If a reference on the path is nil or leads to no record, no condition on the referring records holds. This includes
/// ``isEmpty`` and ``all(_:)``. The only exception is `!=` on a count, which then holds for every number.
public struct InversePath<Root, Source: Record>: Sendable {
    private let name: InverseName

    init<Target>(_ inverse: Inverse<Target, Source>, behind path: FieldName) {
        name = InverseName(path: path, type: Source._recordName, field: inverse.field)
    }

    /// Returns a condition that holds if at least one record that refers to the record at the end of the path meets `condition`.
    ///
    /// - Parameter condition: makes a condition from the tokens of the referring record's fields.
    public func any(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Root> {
        count(where: condition) >= 1
    }

    /// Returns a condition that holds if all records that refer to the record at the end of the path meet `condition`. It also
    /// holds if no record refers to that record.
    ///
    /// - Parameter condition: makes a condition from the tokens of the referring record's fields.
    public func all(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Root> {
        FieldCount(name, .not(condition(Source.fields).node)) == 0
    }

    /// A condition that holds if no record refers to the record at the end of the path.
    public var isEmpty: Condition<Root> { count == 0 }

    /// The number of records that refer to the record at the end of the path, for use in a comparison. A record that refers to it
    /// several times counts once.
    public var count: FieldCount<Root> { FieldCount(name, .constant(true)) }

    /// Returns the number of records that refer to the record at the end of the path and meet `condition`, for use in a
    /// comparison.
    ///
    /// - Parameter condition: makes a condition from the tokens of the referring record's fields.
    public func count(where condition: (Source.Fields) -> Condition<Source>) -> FieldCount<Root> {
        FieldCount(name, condition(Source.fields).node)
    }
}

extension Field {
    /// Returns the records that refer to the record that this field refers to: `Book.where {
    /// $0.author.inverse(Author.books).count > 3 }`.
    ///
    /// - Parameter inverse: the inverse to follow from the record that this field refers to.
    public func inverse<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>
    ) -> InversePath<Root, Source> where Value == Reference<Target> {
        InversePath(inverse, behind: FieldName(name))
    }

    /// Returns the records that refer to the record that this field may refer to. If the reference is nil, only `!=` on their
    /// count holds; see ``InversePath``.
    ///
    /// - Parameter inverse: the inverse to follow from the record that this field may refer to.
    public func inverse<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>
    ) -> InversePath<Root, Source> where Value == Reference<Target>? {
        InversePath(inverse, behind: FieldName(name))
    }
}
