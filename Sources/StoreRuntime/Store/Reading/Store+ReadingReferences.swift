public import StoreEngine

// Reads of records together with those that they refer to, or that refer to them. Each has a read transaction of its own.
extension Store {
    /// The records that a request asks for, each with the one that it refers to.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Reference<Target>>>
    ) throws -> [(R, Target?)] {
        try read { try $0.fetch(request, with: field) }
    }

    /// The records that a request asks for, each with the one that it refers to, if it does.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Reference<Target>?>>
    ) throws -> [(R, Target?)] {
        try read { try $0.fetch(request, with: field) }
    }

    /// The records that a request asks for, each with those that it refers to, in the order of its array.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, [Reference<Target>]>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// The records that a request asks for, each with those that its array refers to; none where that is nil.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, [Reference<Target>]?>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// The records that a request asks for, each with those that it refers to, in the order of their ids.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Set<Reference<Target>>>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// The records that a request asks for, each with those that its set refers to; none where that is nil.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Set<Reference<Target>>?>>
    ) throws -> [(R, [Target])] {
        try read { try $0.fetch(request, with: field) }
    }

    /// The records that a request asks for, each with those that refer to it, in the order of their ids.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func fetch<Target: Record, Source: Record>(
        _ request: FetchRequest<Target>, with inverse: Inverse<Target, Source>
    ) throws -> [(Target, [Source])] {
        try read { try $0.fetch(request, with: inverse) }
    }

    /// The records that refer to the one with this id, in the order of their ids: `store.fetch(Room.sensors, of: "kitchen")`.
    ///
    /// - Throws: ``StoreError``: `unknownType`, `unknownField`, `damaged`, `closed`.
    @inlinable
    public func fetch<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>, of id: Target.ID
    ) throws -> [Source] {
        try read { try $0.fetch(inverse, of: id) }
    }
}
