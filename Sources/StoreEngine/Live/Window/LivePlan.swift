/// A live request prepared for the records of its type.
struct LivePlan: Sendable {
    let type: OpenType
    /// The request, always with an order: the order of ids where none was given.
    let request: Request
    /// The fields whose changes are reported; nil for all fields.
    let fields: FieldIndexSet?
    let condition: CompiledCondition
    let sort: [SortPart]
    /// The sort fields that positions are made of.
    private let keySort: [SortPart]
    private let isIDDescending: Bool
    /// The fields that decide whether a record is in the result, and at which position.
    let readFieldIndexes: FieldIndexSet
    /// The other data that the result depends on; nil where it depends only on each record itself.
    let dependencies: LiveDependencies?
    /// The fields of other records that the request names, and the paths to them.
    private let paths: [(name: FieldName, path: ReferencePath)]
    /// Identifies the request in the tokens of its pages.
    let fingerprint: UInt64

    /// Prepares a request.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a value or a field does not match, a limit or an offset is
    ///   negative, or the request has a position or asks for distinct rows.
    init(_ request: Request, typeIndex: Int, fields: FieldIndexSet?, in catalog: Catalog) throws(StoreError) {
        guard request.position == nil else {
            throw StoreError(
                .invalidValue, "a live request has no position", remedy: "give it a condition or an offset instead")
        }
        guard !request.isDistinct else {
            throw StoreError(
                .invalidValue, "a live request needs records, because distinct rows have no ids that identify changes",
                remedy: "use values(of:) with a closure that fetches the rows")
        }
        try Planner.requireLimits(request)
        type = catalog.types[typeIndex]
        var request = request
        if request.order.isEmpty { request.order = type.orderByID }
        self.request = request
        self.fields = fields
        sort = try Planner.sortParts(request.order, type, catalog)
        // The id at the end of each position already gives this order.
        keySort = request.order == type.orderByID ? [] : sort
        isIDDescending = request.order.last?.isDescending ?? false
        dependencies = try LiveDependencies(request, typeIndex: typeIndex, in: catalog)
        var paths: [(name: FieldName, path: ReferencePath)] = []
        for name in request.fields ?? [] {
            guard let path = try ReferencePath(name, from: type, in: catalog) else { continue }
            paths.append((name, path))
        }
        self.paths = paths
        // A rerun resolves references each time.
        condition =
            dependencies == nil ? try ConditionCompiler(type: type.type).compile(request.condition) : .constant(true)
        var fieldIndexes = FieldIndexSet(type.idParts.map(\.fieldIndex))
        for part in sort { fieldIndexes.insert(part.fieldIndex) }
        for name in request.condition.fieldNames {
            // The compiler also accepts names that are not fields. They never reach this loop.
            if let fieldIndex = type.type.fieldIndex(named: name.first) { fieldIndexes.insert(fieldIndex) }
        }
        readFieldIndexes = fieldIndexes
        fingerprint = request.fingerprint(type, in: catalog)
    }

    /// The number of rows that the request needs, including the skipped ones. `Int.max` when there is no limit.
    var neededCount: Int { request.limit == 0 ? 0 : request.wanted }

    /// The fields of other records whose values the rows hold.
    var followed: [FieldName] { paths.map(\.name) }

    /// Returns the index of the record type in a catalog.
    func typeIndex(in catalog: Catalog) throws(StoreError) -> Int {
        if let typeIndex = catalog.typeIndex(ofID: type.type.id) { return typeIndex }
        throw StoreError(.unknownType, "the record type \(type.name) no longer exists")
    }

    /// Returns a record's position, from its own fields only.
    func sortKey(_ table: FieldTable, key: [UInt8]) throws(CodecError) -> [UInt8] {
        var sortKey = ByteWriter(capacity: 64)
        for part in keySort { try part.append(table, to: &sortKey) }
        return try finish(&sortKey, table, key)
    }

    /// Returns a record's position, from its own fields and those of the records that it refers to.
    func sortKey(_ table: FieldTable, key: [UInt8], in scope: ReadContext) throws -> [UInt8] {
        var sortKey = ByteWriter(capacity: 64)
        for part in keySort { try part.append(table, scope, to: &sortKey) }
        return try finish(&sortKey, table, key)
    }

    private func finish(
        _ sortKey: inout ByteWriter, _ table: FieldTable, _ key: [UInt8]
    ) throws(CodecError) -> [UInt8] {
        let start = sortKey.count
        unsafe try type.appendIDOrder(of: table, key: key.span.bytes, to: &sortKey)
        if isIDDescending { sortKey.complement(from: start) }
        return sortKey.array()
    }

    /// Returns the rows of a page.
    ///
    /// - Parameters:
    ///   - last: the row to begin after; nil to begin with the first.
    ///   - limit: the most rows to return.
    ///   - known: rows to reuse where they have not changed.
    ///   - scanned: increased by the number of records or entries read.
    func rows(
        after last: LiveRow?, limit: Int, known: RowChunks?, in scope: ReadContext, scanned: inout Int
    ) throws(StoreError) -> [LiveRow] {
        let typeIndex = try typeIndex(in: scope.state.catalog)
        var page = request
        page.offset = 0
        page.limit = limit == .max ? nil : limit
        if let last { page.position = .token(try token(behind: last, in: scope)) }
        var cursor = try scope.fetchCursor(page, typeIndex: typeIndex)
        var rows: [LiveRow] = []
        while try cursor.advance() {
            let key = cursor.recordKey.array()
            let sortKey: [UInt8]
            let followed: [DynamicValue]
            do {
                let table = try RecordBytes(cursor.record).table
                sortKey =
                    dependencies == nil
                    ? try self.sortKey(table, key: key) : try self.sortKey(table, key: key, in: scope)
                followed = try paths.map { try $0.path.value(from: table, in: scope) }
            } catch {
                throw StoreError(
                    reading: error, at: "the record of \(type.name) under the key \(HexText.of(cursor.recordKey))")
            }
            let bytes = cursor.record.array()
            let same = known?.row(at: sortKey).flatMap { $0.content.bytes == bytes ? $0 : nil }
            if let same, same.followed == followed {
                rows.append(same)
            } else {
                let content = same?.content ?? RecordContent(bytes)
                rows.append(LiveRow(sortKey: sortKey, key: key, content: content, followed: followed))
            }
        }
        scanned += cursor.scannedCount
        return rows
    }

    private func token(behind row: LiveRow, in scope: ReadContext) throws(StoreError) -> PageToken {
        do {
            let bytes = row.content.bytes
            let table = unsafe try RecordBytes(unverified: bytes.span.bytes).table
            return try PageToken(fingerprint, table, order: sort, idParts: type.idParts, in: scope)
        } catch {
            throw StoreError(reading: error, at: "a row of a live request for \(type.name)")
        }
    }
}
