// Fetching some fields of each record.
extension ReadableTransaction where Self: ~Copyable {
    /// The rows that a projection asks for.
    ///
    /// - Throws: ``StoreError``: as for a whole record, and `unknownField` or `invalidValue` where a struct does not fit
    ///   the record.
    /// - Complexity: as ``fetch(_:)-(FetchRequest<R>)``; of each record only these fields are decoded.
    @inlinable
    public borrowing func fetch<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws(StoreError) -> [Output] {
        try _reading.fetch(projection)
    }

    /// The first row that a projection asks for, or nil.
    @inlinable
    public borrowing func first<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws(StoreError) -> Output? {
        try fetch(projection.upToOne).first
    }

    /// How many rows a projection asks for. Decodes none.
    public borrowing func count<R: Record, Output>(_ projection: Projection<R, Output>) throws(StoreError) -> Int {
        let scope = _reading
        return try scope.count(projection.request, typeIndex: scope.binding(R.self).typeIndex)
    }

    /// Calls `body` with each row that a projection asks for, until it returns false. Takes memory for one row, unless
    /// they have to be sorted or told apart.
    @inlinable
    public borrowing func forEach<R: Record, Output>(
        _ projection: Projection<R, Output>, _ body: (Output) throws -> Bool
    ) throws {
        try _reading.forEach(projection, body)
    }

    /// How a projection is answered, for people; see ``explain(_:analyzed:)-(FetchRequest<R>,_)``.
    ///
    /// - Parameter analyzed: whether to answer it too, and to say how many entries and records each step gave.
    public borrowing func explain<R: Record, Output>(
        _ projection: Projection<R, Output>, analyzed: Bool = false
    ) throws(StoreError) -> String {
        let scope = _reading
        let typeIndex = try scope.binding(R.self).typeIndex
        let fieldIndexes = projection.fieldIndexes(in: scope.catalog.types[typeIndex].type)
        return try scope.explain(projection.request, covering: fieldIndexes, typeIndex: typeIndex, analyzed: analyzed)
    }
}

extension ReadContext {
    @inlinable
    func fetch<R: Record, Output>(_ projection: Projection<R, Output>) throws(StoreError) -> [Output] {
        let binding = try binding(R.self)
        let paths = try followedPaths(projection, binding)
        var cursor = try fetchCursor(projection, binding)
        var rows: [Output] = []
        while try cursor.advance() { rows.append(try cursor.row(projection, paths, binding)) }
        return rows
    }

    @inlinable
    func forEach<R: Record, Output>(
        _ projection: Projection<R, Output>, _ body: (Output) throws -> Bool
    ) throws {
        let binding = try binding(R.self)
        let paths = try followedPaths(projection, binding)
        var cursor = try fetchCursor(projection, binding)
        while try cursor.advance() {
            if try !body(cursor.row(projection, paths, binding)) { return }
        }
    }

    @usableFromInline
    func followedPaths<R: Record, Output>(
        _ projection: Projection<R, Output>, _ binding: TypedBinding
    ) throws(StoreError) -> FollowedPaths {
        try FollowedPaths(projection, binding.type, in: catalog)
    }

    @usableFromInline
    @_lifetime(copy self)
    func fetchCursor<R: Record, Output>(
        _ projection: Projection<R, Output>, _ binding: TypedBinding
    ) throws(StoreError) -> FetchCursor {
        if let misfit = projection.misfit { throw misfit }
        let fieldIndexes = projection.fieldIndexes(in: binding.type.type)
        return try FetchCursor(
            self,
            planned(
                projection.request, typeIndex: binding.typeIndex, covering: fieldIndexes,
                declared: binding.fieldIndexesByDeclared))
    }
}

extension FetchCursor {
    /// The fields that a projection wants of the record that the walk is at: from the index that is walked, where that
    /// holds them all.
    @inlinable
    @_lifetime(self: copy self)
    mutating func row<R: Record, Output>(
        _ projection: Projection<R, Output>, _ paths: FollowedPaths, _ binding: TypedBinding
    ) throws(StoreError) -> Output {
        if try readCovered() {
            do {
                if let row = try projection.decode(coveredFields, []) { return row }
            } catch {
                throw damage(error)
            }
        }
        try load()
        return try rowOfRecord(projection, paths, binding)
    }

    /// The same from the record, which was read.
    @inlinable
    func rowOfRecord<R: Record, Output>(
        _ projection: Projection<R, Output>, _ paths: FollowedPaths, _ binding: TypedBinding
    ) throws(StoreError) -> Output {
        let followed = try followed(paths)
        let decoder = try decoder(binding, verifying: false)
        do {
            if let row = try projection.decode(decoder, followed) { return row }
            // A version before one of the fields: what stands in for it is known to the record's own initializer.
            return try projection.extract(R(from: decoder), followed)
        } catch {
            throw damage(error)
        }
    }
}

extension Projection {
    /// The same for one row at most.
    @usableFromInline var upToOne: Projection { limit(Swift.min(request.limit ?? 1, 1)) }

    /// The places of its fields, where an index may give them without the records: not for a field inside another, and not
    /// where rows are told apart or a position is to be found, which is done on records.
    func fieldIndexes(in type: RecordType) -> [Int]? {
        guard !request.isDistinct, request.position == nil, let fields = request.fields else { return nil }
        let fieldIndexes = fields.map { $0.single.flatMap { type.fieldIndex(named: $0) } }
        let found = fieldIndexes.compactMap { $0 }
        return found.count == fields.count ? found : nil
    }
}
