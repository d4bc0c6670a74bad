/// The records that refer to one that another refers to: `$0.author.inverse(Author.books)` of a chapter's book.
///
/// Where the reference, or one on the way to it, is none or leads nowhere, no condition on them holds, ``isEmpty`` and
/// ``all(_:)`` included.
public struct InversePath<Root, Source: Record>: Sendable {
    private let name: InverseName

    init<Target>(_ inverse: Inverse<Target, Source>, behind path: FieldName) {
        name = InverseName(path: path, type: Source._recordName, field: inverse.field)
    }

    /// Whether a record that refers to the one at the end of the path meets a condition.
    ///
    /// - Parameter condition: gets the tokens of the fields of the record that refers.
    public func any(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Root> {
        count(where: condition) >= 1
    }

    /// Whether all records that refer to the one at the end of the path meet a condition; true where there are none.
    ///
    /// - Parameter condition: gets the tokens of the fields of the record that refers.
    public func all(_ condition: (Source.Fields) -> Condition<Source>) -> Condition<Root> {
        FieldCount(name, .not(condition(Source.fields).node)) == 0
    }

    /// Whether no record refers to the one at the end of the path.
    public var isEmpty: Condition<Root> { count == 0 }

    /// The number of records that refer to the one at the end of the path, to be compared. One that does so more than once
    /// counts once.
    public var count: FieldCount<Root> { FieldCount(name, .constant(true)) }

    /// The number of records that refer to the one at the end of the path and meet a condition, to be compared.
    ///
    /// - Parameter condition: gets the tokens of the fields of the record that refers.
    public func count(where condition: (Source.Fields) -> Condition<Source>) -> FieldCount<Root> {
        FieldCount(name, condition(Source.fields).node)
    }
}

extension Field {
    /// The records that refer to the one that this field refers to:
    /// `Book.where { $0.author.inverse(Author.books).count > 3 }`.
    ///
    /// - Parameter inverse: the way back to the record that this field refers to.
    public func inverse<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>
    ) -> InversePath<Root, Source> where Value == Reference<Target> {
        InversePath(inverse, behind: FieldName(name))
    }

    /// The records that refer to the one that this field may refer to; where it refers to none, no condition on them holds.
    ///
    /// - Parameter inverse: the way back to the record that this field may refer to.
    public func inverse<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>
    ) -> InversePath<Root, Source> where Value == Reference<Target>? {
        InversePath(inverse, behind: FieldName(name))
    }
}
