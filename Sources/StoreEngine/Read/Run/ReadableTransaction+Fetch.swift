extension ReadableTransaction where Self: ~Copyable {
    /// Fetches the records that a request asks for.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField` and `invalidValue` where the request does not match the store's
    ///   schema; `damaged`.
    /// - Complexity: the fetch uses an index, or the order of ids, where the condition bounds its first fields. Otherwise it
    ///   reads all records. ``explain(_:analyzed:)-(FetchRequest<R>,_)`` describes the choice.
    @inlinable
    public borrowing func fetch<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> [R] {
        try _reading.fetch(request)
    }

    /// Fetches all records of a type: `tx.fetch(Sensor.self)`.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `invalidValue` where the type does not match the store's schema; `damaged`.
    @inlinable
    public borrowing func fetch<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
        try _reading.fetch(FetchRequest(type))
    }

    /// Fetches the first record that a request asks for; nil where there is none.
    @inlinable
    public borrowing func first<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> R? {
        try _reading.fetch(request.upToOne).first
    }

    /// Counts the records that a request asks for. Decodes no record.
    public borrowing func count<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> Int {
        let scope = _reading
        return try scope.count(request.request, typeIndex: scope.binding(R.self).typeIndex)
    }

    /// Whether a request matches at least one record.
    public borrowing func exists<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> Bool {
        try count(request.upToOne) > 0
    }

    /// Calls `body` with each record that a request asks for, until `body` returns false. Takes memory for one record, unless the
    /// records have to be sorted.
    @inlinable
    public borrowing func forEach<R: Record>(_ request: FetchRequest<R>, _ body: (R) throws -> Bool) throws {
        try _reading.forEach(request, body)
    }
}

extension FetchRequest {
    /// The same request for one record at most.
    @usableFromInline var upToOne: FetchRequest { limit(min(request.limit ?? 1, 1)) }
}

extension ReadContext {
    @inlinable
    func fetch<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> [R] {
        let binding = try binding(R.self)
        var cursor = try fetchCursor(request, binding)
        var records: [R] = []
        records.reserveCapacity(cursor.knownCount)
        while try cursor.advance() { records.append(try cursor.decoded(binding)) }
        return records
    }

    @inlinable
    func forEach<R: Record>(_ request: FetchRequest<R>, _ body: (R) throws -> Bool) throws {
        let binding = try binding(R.self)
        var cursor = try fetchCursor(request, binding)
        while try cursor.advance() {
            if try !body(cursor.decoded(binding)) { return }
        }
    }

    /// Returns a request for all records of a type in the order of their ids.
    @usableFromInline
    func allByID<R: Record>(_ type: R.Type) throws(StoreError) -> FetchRequest<R> {
        var request = FetchRequest(type)
        request.request.order = try binding(type).type.orderByID
        return request
    }

    @usableFromInline
    @_lifetime(copy self)
    func fetchCursor<R: Record>(
        _ request: FetchRequest<R>, _ binding: TypedBinding
    ) throws(StoreError) -> FetchCursor {
        try fetchCursor(request.request, typeIndex: binding.typeIndex)
    }

    /// Returns a cursor over the records of a type that a request asks for.
    @_lifetime(copy self)
    func fetchCursor(_ request: Request, typeIndex: Int) throws(StoreError) -> FetchCursor {
        try FetchCursor(self, planned(request, typeIndex: typeIndex))
    }

    /// Calls `body` with some fields of each record that a request asks for, until `body` returns false. If the plan walks an
    /// index that holds all of these fields, no record is read.
    ///
    /// - Parameters:
    ///   - fieldIndexes: the indexes of the fields among the type's newest fields.
    ///   - path: the path to use, for tests; nil leaves the choice to the planner.
    ///   - body: receives the values in the order of `fieldIndexes`.
    /// - Returns: the work that the fetch has done.
    @discardableResult
    package func fetchFields(
        _ request: Request, fieldIndexes: [Int], typeIndex: Int, by path: Plan.Path? = nil,
        _ body: ([DynamicValue]) throws -> Bool
    ) throws -> FetchCounts {
        var cursor = try FetchCursor(self, planned(request, typeIndex: typeIndex, covering: fieldIndexes, by: path))
        while try cursor.advance() {
            if try !body(cursor.values(fieldIndexes)) { break }
        }
        return cursor.done
    }

    /// Calls `body` with each record that a request asks for, until `body` returns false.
    ///
    /// - Parameters:
    ///   - path: the path to use, for tests; nil leaves the choice to the planner.
    ///   - search: how to find the records that refer to a record, for tests; nil chooses by cost.
    /// - Returns: the number of records and index entries read.
    @discardableResult
    package func fetchDynamic(
        _ request: Request, typeIndex: Int, by path: Plan.Path? = nil, search: ReferrerSearch? = nil,
        keyByteLimit: Int = 64 << 20, _ body: (DynamicRecord) throws -> Bool
    ) throws -> Int {
        let type = state.catalog.types[typeIndex]
        var cursor = try FetchCursor(
            self, planned(request, typeIndex: typeIndex, by: path, search: search), keyByteLimit: keyByteLimit)
        while try cursor.advance() {
            if try !body(cursor.dynamicRecord(type)) { break }
        }
        return cursor.scannedCount
    }

    /// Counts the records of a type that a request asks for.
    package func count(_ request: Request, typeIndex: Int) throws(StoreError) -> Int {
        try Planner.requireLimits(request)
        // The order does not change the count, but it must be valid.
        _ = try Planner.sortParts(request.order, state.catalog.types[typeIndex], state.catalog)
        let isPlain = request.condition == .constant(true) && request.position == nil
        if isPlain, !request.isDistinct {
            try note(request, typeIndex: typeIndex)
            let rest = max(0, try count(typeIndex: typeIndex) - request.offset)
            return min(rest, request.limit ?? rest)
        }
        return try counted(request, typeIndex: typeIndex).returned
    }

    /// Counts the records by a walk, and returns the work that it did.
    package func counted(_ request: Request, typeIndex: Int) throws(StoreError) -> FetchCounts {
        var unordered = request
        // A position refers to the order, so a request with a position keeps it.
        if request.position == nil { unordered.order = [] }
        var cursor = try FetchCursor(self, planned(unordered, typeIndex: typeIndex, covering: []))
        try cursor.skipAll()
        return cursor.done
    }

    /// Whether the record with this id exists and meets a condition.
    package func meets(_ condition: ConditionNode, id: [DynamicValue], typeIndex: Int) throws(StoreError) -> Bool {
        let type = state.catalog.types[typeIndex]
        let isThis = zip(type.idParts, id).map { part, value in
            ConditionNode.comparison(FieldName([type.type.fields[part.fieldIndex].name]), .equal, value)
        }
        var request = Request()
        request.condition = .and(isThis + [condition])
        return try count(request, typeIndex: typeIndex) > 0
    }

    /// Returns all paths that can answer a request, for tests.
    package func paths(_ request: Request, typeIndex: Int) throws(StoreError) -> [Plan.Path] {
        let resolved = try resolved(request, typeIndex: typeIndex)
        return try Planner(state.catalog.types[typeIndex], resolved, in: state.catalog).allPaths()
    }
}
