/// The inverse of a reference, which leads from a record to the records that refer to it.
///
/// ```swift
/// extension Room {
///     static let sensors = Inverse<Room, Sensor>(\.room)
/// }
/// extension Tag {
///     static let articles = Inverse<Tag, Article>(\.tags)     // many to many: an article has many tags
/// }
///
/// let sensors = try store.read { try $0.fetch(Room.sensors, of: "kitchen") }
/// ```
///
/// The store keeps no data for an inverse. The index on the reference answers it, so an inverse always agrees with the
/// references.
public struct Inverse<Target: Record, Source: Record>: Hashable, Sendable {
    @usableFromInline let field: String
    let isMultiple: Bool

    /// Creates the inverse of a reference.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Reference<Target>>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: false)
    }

    /// Creates the inverse of an optional reference.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Reference<Target>?>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: false)
    }

    /// Creates the inverse of an array of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, [Reference<Target>]>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    /// Creates the inverse of a set of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Set<Reference<Target>>>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    /// Creates the inverse of an optional array of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, [Reference<Target>]?>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    /// Creates the inverse of an optional set of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Set<Reference<Target>>?>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    private init(_ field: String, isMultiple: Bool) {
        self.field = field
        self.isMultiple = isMultiple
    }

    /// Returns a request for the records that refer to the record with this id. You can add conditions and an order to it, as to
    /// any request.
    public func request(of id: Target.ID) -> FetchRequest<Source> {
        var request = FetchRequest<Source>()
        let name = FieldName([field])
        do {
            let bytes = try Reference<Target>(id).encoded()
            let value = unsafe try DynamicValue(from: bytes.span.bytes, as: Reference<Target>.fieldType)
            request.request.condition = isMultiple ? .element(name, value) : .comparison(name, .equal, value)
        } catch {
            request.request.condition = .invalid(ConditionMistake(value: "\(field): \(error.reason)"))
        }
        return request
    }
}

extension FetchRequest {
    /// The same request, ordered by id only.
    @usableFromInline var orderedByID: FetchRequest {
        var result = self
        let schema = R.recordSchema
        result.request.order = schema.id.fields.map { SortTerm(FieldName([schema.fields[$0].name])) }
        return result
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Returns the records that refer to the record with this id, in the order of their ids.
    ///
    /// - Throws: ``StoreError``: `unknownType`, `unknownField`, `damaged`.
    /// - Complexity: logarithmic, and linear in the number of records found.
    @inlinable
    public borrowing func fetch<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>, of id: Target.ID
    ) throws(StoreError) -> [Source] {
        try fetch(inverse.request(of: id).orderedByID)
    }
}
