// Fetching some fields of each record.
extension ReadableTransaction where Self: ~Copyable {
    /// Fetches the rows that a projection asks for.
    ///
    /// - Throws: ``StoreError``: as for a whole record; also `unknownField` or `invalidValue` where a struct does not match the
    ///   record.
    /// - Complexity: the same as ``fetch(_:)-(FetchRequest<R>)``, but only these fields of each record are decoded.
    @inlinable
    public borrowing func fetch<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws(StoreError) -> [Output] {
        try _reading.fetch(projection)
    }

    /// Fetches the first row that a projection asks for; nil where there is none.
    @inlinable
    public borrowing func first<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws(StoreError) -> Output? {
        try fetch(projection.upToOne).first
    }

    /// Counts the rows that a projection asks for. Decodes no row.
    public borrowing func count<R: Record, Output>(_ projection: Projection<R, Output>) throws(StoreError) -> Int {
        let scope = _reading
        return try scope.count(projection.request, typeIndex: scope.binding(R.self).typeIndex)
    }

    /// Calls `body` with each row that a projection asks for, until `body` returns false. Takes memory for one row, unless the
    /// rows have to be sorted or made distinct.
    @inlinable
    public borrowing func forEach<R: Record, Output>(
        _ projection: Projection<R, Output>, _ body: (Output) throws -> Bool
    ) throws {
        try _reading.forEach(projection, body)
    }

    /// Explains how a projection is answered; see ``explain(_:analyzed:)-(FetchRequest<R>,_)``.
    ///
    /// - Parameters:
    ///   - projection: the projection.
    ///   - analyzed: whether to run the projection too, and to report the number of entries and records that each step gave.
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
    /// Returns the projection's row for the current record. The fields come from the walked index, where the index holds them
    /// all.
    @inlinable
    @_lifetime(self: copy self)
    mutating func row<R: Record, Output>(
        _ projection: Projection<R, Output>, _ paths: FollowedPaths, _ binding: TypedBinding
    ) throws(StoreError) -> Output {
        if try readCovered() {
            do {
                if let row = try projection.decode(coveredFields, []) { return row }
            } catch {
                // The record tells whether it has a value that does not fit. If it has a row, the entry is wrong.
                try load()
                _ = try rowOfRecord(projection, paths, binding)
                throw entryDamage(error)
            }
        }
        try load()
        return try rowOfRecord(projection, paths, binding)
    }

    /// Returns the projection's row from the current record, which has been read.
    @inlinable
    func rowOfRecord<R: Record, Output>(
        _ projection: Projection<R, Output>, _ paths: FollowedPaths, _ binding: TypedBinding
    ) throws(StoreError) -> Output {
        let followed = try followed(paths)
        let decoder = try decoder(binding, verifying: false)
        do {
            if let row = try projection.decode(decoder, followed) { return row }
            // The record's version is older than one of the fields. Only the record's own initializer knows the field's initial
            // value.
            return try projection.extract(R(from: decoder), followed)
        } catch {
            throw unreadable(error, binding)
        }
    }
}

extension Projection {
    /// The same projection for one row at most.
    @usableFromInline var upToOne: Projection { limit(Swift.min(request.limit ?? 1, 1)) }

    /// Returns the indexes of the projection's fields, where an index may give the fields without the records. Returns nil for a
    /// field inside another field, for distinct rows, and for a request with a position, because those need the records.
    func fieldIndexes(in type: RecordType) -> [Int]? {
        guard !request.isDistinct, request.position == nil, let fields = request.fields else { return nil }
        let fieldIndexes = fields.map { $0.single.flatMap { type.fieldIndex(named: $0) } }
        let found = fieldIndexes.compactMap { $0 }
        return found.count == fields.count ? found : nil
    }
}
