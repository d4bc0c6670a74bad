/// The way back along a reference: from a record to those that refer to it.
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
/// Nothing is stored for it: the index on the reference answers it, so that it never disagrees with the references.
public struct Inverse<Target: Record, Source: Record>: Hashable, Sendable {
    @usableFromInline let field: String
    let isMultiple: Bool

    /// The way back along a reference.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Reference<Target>>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: false)
    }

    /// The way back along an optional reference.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Reference<Target>?>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: false)
    }

    /// The way back along an array of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, [Reference<Target>]>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    /// The way back along a set of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Set<Reference<Target>>>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    /// The way back along an optional array of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, [Reference<Target>]?>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    /// The way back along an optional set of references.
    public init(_ field: KeyPath<Source.Fields, Field<Source, Set<Reference<Target>>?>>) {
        self.init(Source.fields[keyPath: field].name, isMultiple: true)
    }

    private init(_ field: String, isMultiple: Bool) {
        self.field = field
        self.isMultiple = isMultiple
    }

    /// The records that refer to the one with this id, to be narrowed and ordered like any request.
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
    /// The same in the order of ids, and of nothing else.
    @usableFromInline var orderedByID: FetchRequest {
        var result = self
        let schema = R.recordSchema
        result.request.order = schema.id.fields.map { SortTerm(FieldName([schema.fields[$0].name])) }
        return result
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// The records that refer to the one with this id, in the order of their ids.
    ///
    /// - Throws: ``StoreError``: `unknownType`, `unknownField`, `damaged`.
    /// - Complexity: logarithmic, and linear in what is found.
    @inlinable
    public borrowing func fetch<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>, of id: Target.ID
    ) throws(StoreError) -> [Source] {
        try fetch(inverse.request(of: id).orderedByID)
    }
}
