public import StoreEngine

// Reads of records with the records that they refer to, or that refer to them. Each has a read transaction of its own.
extension Store {
    /// Returns the records that match a request, each with the record that it refers to.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Reference<Target>>>
    ) throws -> [(R, Target?)] {
        try read { try $0.fetch(request, with: field) }
    }

    /// Returns the records that match a request, each with the record that it refers to, if any.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Reference<Target>?>>
    ) throws -> [(R, Target?)] {
        try read { try $0.fetch(request, with: field) }
    }

    /// Returns the records that match a request, each with the records that it refers to, in the order of its array.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, [Reference<Target>]>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// Returns the records that match a request, each with the records that its array refers to. A nil array gives no records.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, [Reference<Target>]?>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// Returns the records that match a request, each with the records that it refers to, in the order of their ids.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Set<Reference<Target>>>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// Returns the records that match a request, each with the records that its set refers to. A nil set gives no records.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Set<Reference<Target>>?>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// Returns the records that match a request, each with the records that refer to it, in the order of their ids.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<Target: Record, Source: Record>(
        _ request: FetchRequest<Target>, with inverse: Inverse<Target, Source>
    ) throws -> [(Target, [Source])] {
        try read { try $0.fetch(request, with: inverse) }
    }

    /// Returns the records that refer to the record with this id, in the order of their ids.
    ///
    /// ```swift
    /// let sensors = try store.fetch(Room.sensors, of: "kitchen")
    /// ```
    ///
    /// - Throws: ``StoreError``: `unknownType`, `unknownField`, `damaged`, `closed`.
    @inlinable
    public func fetch<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>, of id: Target.ID
    ) throws -> [Source] {
        try read { try $0.fetch(inverse, of: id) }
    }
}
