extension ReadableTransaction where Self: ~Copyable {
    /// The records that a request asks for.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField` and `invalidValue` where the request does not fit the
    ///   store's schema; `damaged`.
    /// - Complexity: an index, or the order of ids, is used where the condition bounds its first fields; else all records
    ///   are looked at. ``explain(_:)`` tells.
    @inlinable
    public borrowing func fetch<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> [R] {
        try _reading.fetch(request)
    }

    /// All records of a type: `tx.fetch(Sensor.self)`.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `invalidValue` where the type does not fit the store's schema; `damaged`.
    @inlinable
    public borrowing func fetch<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
        try _reading.fetch(FetchRequest(type))
    }

    /// The first record that a request asks for, or nil.
    @inlinable
    public borrowing func first<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> R? {
        try _reading.fetch(request.upToOne).first
    }

    /// How many records a request asks for. Decodes none.
    public borrowing func count<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> Int {
        let scope = _reading
        return try scope.count(request.request, typeIndex: scope.binding(R.self).typeIndex)
    }

    /// Whether there is a record that a request asks for.
    public borrowing func exists<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> Bool {
        try count(request.upToOne) > 0
    }

    /// Calls `body` with each record that a request asks for, until it returns false. Takes memory for one record, unless
    /// they have to be sorted.
    @inlinable
    public borrowing func forEach<R: Record>(_ request: FetchRequest<R>, _ body: (R) throws -> Bool) throws {
        try _reading.forEach(request, body)
    }
}

extension FetchRequest {
    /// The same for one record at most.
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

    /// A request for all records of a type in the order of their ids.
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

    /// Walks the records of a type that a request asks for.
    @_lifetime(copy self)
    func fetchCursor(_ request: Request, typeIndex: Int) throws(StoreError) -> FetchCursor {
        try FetchCursor(self, planned(request, typeIndex: typeIndex))
    }

    /// Calls `body` with some fields of each record that a request asks for, until it returns false. Where an index that
    /// the plan walks holds them all, no record is read.
    ///
    /// - Parameters:
    ///   - fieldIndexes: the places of the fields among the type's newest.
    ///   - path: the way to take, for tests; nil leaves the choice to the planner.
    ///   - body: gets the values in the order of `fieldIndexes`.
    /// - Returns: what that took.
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

    /// Calls `body` with each record that a request asks for, until it returns false.
    ///
    /// - Parameters:
    ///   - path: the way to take, for tests; nil leaves the choice to the planner.
    ///   - search: how records are asked who refers to them, for tests; nil leaves the choice to what it costs.
    /// - Returns: how many records or entries of an index were looked at.
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

    /// How many records of a type a request asks for.
    package func count(_ request: Request, typeIndex: Int) throws(StoreError) -> Int {
        try Planner.requireLimits(request)
        // The order makes no difference, but has to be one.
        _ = try Planner.sortParts(request.order, state.catalog.types[typeIndex], state.catalog)
        let isPlain = request.condition == .constant(true) && request.position == nil
        if isPlain, !request.isDistinct {
            try note(request, typeIndex: typeIndex)
            let rest = max(0, try count(typeIndex: typeIndex) - request.offset)
            return min(rest, request.limit ?? rest)
        }
        return try counted(request, typeIndex: typeIndex).returned
    }

    /// Counts by a walk, and tells what that took.
    package func counted(_ request: Request, typeIndex: Int) throws(StoreError) -> FetchCounts {
        var unordered = request
        // A position is one in the order.
        if request.position == nil { unordered.order = [] }
        var cursor = try FetchCursor(self, planned(unordered, typeIndex: typeIndex, covering: []))
        try cursor.skipAll()
        return cursor.done
    }

    /// Whether there is a record with this id that meets a condition.
    package func meets(_ condition: ConditionNode, id: [DynamicValue], typeIndex: Int) throws(StoreError) -> Bool {
        let type = state.catalog.types[typeIndex]
        let isThis = zip(type.idParts, id).map { part, value in
            ConditionNode.comparison(FieldName([type.type.fields[part.fieldIndex].name]), .equal, value)
        }
        var request = Request()
        request.condition = .and(isThis + [condition])
        return try count(request, typeIndex: typeIndex) > 0
    }

    /// All ways to answer a request, for tests.
    package func paths(_ request: Request, typeIndex: Int) throws(StoreError) -> [Plan.Path] {
        let resolved = try resolved(request, typeIndex: typeIndex)
        return try Planner(state.catalog.types[typeIndex], resolved, in: state.catalog).allPaths()
    }
}
