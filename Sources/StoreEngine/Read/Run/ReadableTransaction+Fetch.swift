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
        var records: [R] = []
        let lookup = equalityLookup(request, binding)
        if let lookup, var few = try keyedRecords(request, lookup, binding) {
            records.reserveCapacity(few.count)
            while few.advance() { records.append(try few.decoded()) }
            return records
        }
        var cursor = try fetchCursor(request, binding, lookup)
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

    @usableFromInline
    func equalityLookup<R: Record>(_ request: FetchRequest<R>, _ binding: TypedBinding) -> EqualityLookup? {
        EqualityLookup(request.request, of: binding.type)
    }

    @usableFromInline
    @_lifetime(copy self)
    func fetchCursor<R: Record>(
        _ request: FetchRequest<R>, _ binding: TypedBinding
    ) throws(StoreError) -> FetchCursor {
        try fetchCursor(request.request, typeIndex: binding.typeIndex)
    }

    @usableFromInline
    @_lifetime(copy self)
    func fetchCursor<R: Record>(
        _ request: FetchRequest<R>, _ binding: TypedBinding, _ lookup: EqualityLookup?
    ) throws(StoreError) -> FetchCursor {
        try fetchCursor(request.request, typeIndex: binding.typeIndex, lookup)
    }

    /// Walks the records of a type that a request asks for.
    ///
    /// - Parameters:
    ///   - path: the path to take, for tests; nil leaves the choice to the planner.
    ///   - search: how records are asked who refers to them, for tests; nil leaves the choice to what it costs.
    @_lifetime(copy self)
    func fetchCursor(
        _ request: Request, typeIndex: Int, by path: Plan.Path? = nil, search: ReferrerSearch? = nil,
        needsRecords: Bool = true, keyByteLimit: Int = 64 << 20
    ) throws(StoreError) -> FetchCursor {
        let lookup = path == nil ? EqualityLookup(request, of: state.catalog.types[typeIndex]) : nil
        return try fetchCursor(
            request, typeIndex: typeIndex, lookup, by: path, search: search, needsRecords: needsRecords,
            keyByteLimit: keyByteLimit)
    }

    /// The same where it is known which entries give the records that meet the condition.
    @_lifetime(copy self)
    private func fetchCursor(
        _ request: Request, typeIndex: Int, _ lookup: EqualityLookup?, by path: Plan.Path? = nil,
        search: ReferrerSearch? = nil, needsRecords: Bool = true, keyByteLimit: Int = 64 << 20
    ) throws(StoreError) -> FetchCursor {
        try note(request, typeIndex: typeIndex)
        let type = state.catalog.types[typeIndex]
        if let lookup, let keys = try lookup.keys(request, of: type, self) {
            var cursor = try FetchCursor(
                self, type: type, plan: lookup.plan(request, of: type), needsRecords: needsRecords)
            cursor.take(keys)
            return cursor
        }
        let resolved = try resolved(request, typeIndex: typeIndex, forcedSearch: search)
        var estimator = try RowEstimator(self, type)
        let plan = try Planner(type, resolved, in: state.catalog, covering: needsRecords ? nil : [])
            .plan(&estimator, forced: path)
        return try FetchCursor(
            self, type: type, plan: plan, needsRecords: needsRecords, lookedUp: resolved.scannedCount,
            keyByteLimit: keyByteLimit)
    }

    /// Calls `body` with some fields of each record that a request asks for, until it returns false. Where an index that
    /// the plan walks holds them all, no record is read.
    ///
    /// - Parameters:
    ///   - places: the places of the fields among the type's newest.
    ///   - path: the way to take, for tests; nil leaves the choice to the planner.
    ///   - body: gets the values in the order of `places`.
    /// - Returns: what that took.
    @discardableResult
    package func fetchFields(
        _ request: Request, places: [Int], typeIndex: Int, by path: Plan.Path? = nil,
        _ body: ([DynamicValue]) throws -> Bool
    ) throws -> FetchCounts {
        let (type, plan, cover, resolved) = try coveringPlan(request, places: places, typeIndex: typeIndex, by: path)
        var cursor = try FetchCursor(
            self, type: type, plan: plan, needsRecords: cover == nil, cover: cover, lookedUp: resolved.scannedCount)
        while try cursor.advance() {
            if try !body(cursor.values(places)) { break }
        }
        return cursor.done
    }

    /// The plan for a request of which only some fields are of interest, and what gives them without the records.
    func coveringPlan(
        _ request: Request, places: [Int], declared: [Int32]? = nil, typeIndex: Int, by path: Plan.Path? = nil,
        isExplained: Bool = false
    ) throws(StoreError) -> (type: OpenType, plan: Plan, cover: IndexCover?, resolved: ResolvedRequest) {
        try note(request, typeIndex: typeIndex)
        let resolved = try resolved(request, typeIndex: typeIndex)
        let type = state.catalog.types[typeIndex]
        var estimator = try RowEstimator(self, type)
        let planner = try Planner(type, resolved, in: state.catalog, covering: places)
        let plan = try planner.plan(&estimator, forced: path, isExplained: isExplained)
        guard case .walk(let walk) = plan.source, let place = walk.place else {
            return (type, plan, nil, resolved)
        }
        let cover = IndexCover(type.indexes[place], of: type, places: places, declared: declared)
        return (type, plan, cover, resolved)
    }

    /// Calls `body` with each record that a request asks for, until it returns false.
    ///
    /// - Returns: how many records or entries of an index were looked at.
    @discardableResult
    package func fetchDynamic(
        _ request: Request, typeIndex: Int, by path: Plan.Path? = nil, search: ReferrerSearch? = nil,
        keyByteLimit: Int = 64 << 20, _ body: (DynamicRecord) throws -> Bool
    ) throws -> Int {
        let type = state.catalog.types[typeIndex]
        var cursor = try fetchCursor(
            request, typeIndex: typeIndex, by: path, search: search, keyByteLimit: keyByteLimit)
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
        var cursor = try fetchCursor(unordered, typeIndex: typeIndex, needsRecords: false)
        try cursor.skipAll()
        return cursor.done
    }

    /// Whether there is a record with this id that meets a condition.
    package func meets(_ condition: ConditionNode, id: [DynamicValue], typeIndex: Int) throws(StoreError) -> Bool {
        let type = state.catalog.types[typeIndex]
        let isThis = zip(type.idParts, id).map { part, value in
            ConditionNode.comparison(FieldName([type.type.fields[part.place].name]), .equal, value)
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

extension FetchCursor {
    /// The record that the walk is at.
    @inlinable
    func decoded<R: Record>(_ binding: TypedBinding) throws(StoreError) -> R {
        let decoder = try decoder(binding)
        do {
            return try R(from: decoder)
        } catch {
            throw damage(error)
        }
    }
}
