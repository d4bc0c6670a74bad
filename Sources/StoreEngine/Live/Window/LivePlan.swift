/// A live request made ready for its type's records.
struct LivePlan: Sendable {
    let type: OpenType
    /// What is asked for, always with an order: that of ids where none was given.
    let request: Request
    /// The fields whose changes are of interest; nil for all.
    let fields: FieldIndexSet?
    let condition: CompiledCondition
    let sort: [SortPart]
    /// Those of them that places are made of.
    private let keySort: [SortPart]
    private let isIDDescending: Bool
    /// The fields that tell whether and where a record is in the result.
    let readFieldIndexes: FieldIndexSet
    /// What the result depends on besides; nil where it depends on nothing but each record itself.
    let dependencies: LiveDependencies?
    /// The fields of other records that the request names, and the ways there.
    private let paths: [(name: FieldName, path: ReferencePath)]
    /// What names the request in the tokens of its pages.
    let fingerprint: UInt64

    /// Makes a request ready.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a value or a field does not fit, a limit or an offset is
    ///   negative, or the request has a position or is one of distinct rows.
    init(_ request: Request, typeIndex: Int, fields: FieldIndexSet?, in catalog: Catalog) throws(StoreError) {
        guard request.position == nil else {
            throw StoreError(
                .invalidValue, "a live request has no position", remedy: "give it a condition or an offset instead")
        }
        guard !request.isDistinct else {
            throw StoreError(
                .invalidValue, "a live request is of records, and distinct rows have no ids to tell changes by",
                remedy: "follow values(of:) with a closure that fetches the rows")
        }
        try Planner.requireLimits(request)
        type = catalog.types[typeIndex]
        var request = request
        if request.order.isEmpty { request.order = type.orderByID }
        self.request = request
        self.fields = fields
        sort = try Planner.sortParts(request.order, type, catalog)
        // The id behind them says the same.
        keySort = request.order == type.orderByID ? [] : sort
        isIDDescending = request.order.last?.isDescending ?? false
        dependencies = try LiveDependencies(request, typeIndex: typeIndex, in: catalog)
        var paths: [(name: FieldName, path: ReferencePath)] = []
        for name in request.fields ?? [] {
            guard let path = try ReferencePath(name, from: type, in: catalog) else { continue }
            paths.append((name, path))
        }
        self.paths = paths
        // What goes through references is resolved anew each time that the request is run.
        condition =
            dependencies == nil ? try ConditionCompiler(type: type.type).compile(request.condition) : .constant(true)
        var fieldIndexes = FieldIndexSet(type.idParts.map(\.fieldIndex))
        for part in sort { fieldIndexes.insert(part.fieldIndex) }
        for name in request.condition.fieldNames {
            // A name that the compiler takes and that is no field does not come here.
            if let fieldIndex = type.type.fieldIndex(named: name.first) { fieldIndexes.insert(fieldIndex) }
        }
        readFieldIndexes = fieldIndexes
        fingerprint = request.fingerprint(type, in: catalog)
    }

    /// How many rows are needed: those that are left out, too. All when there is no limit.
    var neededCount: Int { request.limit == 0 ? 0 : request.wanted }

    /// The fields of other records of which the rows hold what stands there.
    var followed: [FieldName] { paths.map(\.name) }

    /// The place of the record type in a catalog.
    func typeIndex(in catalog: Catalog) throws(StoreError) -> Int {
        if let typeIndex = catalog.typeIndex(ofID: type.type.id) { return typeIndex }
        throw StoreError(.unknownType, "the record type \(type.name) is gone")
    }

    /// Where a record stands, from its fields alone.
    func sortKey(_ table: FieldTable, key: [UInt8]) throws(CodecError) -> [UInt8] {
        var sortKey = ByteWriter(capacity: 64)
        for part in keySort { try part.append(table, to: &sortKey) }
        return try finish(&sortKey, table, key)
    }

    /// Where a record stands, with what it refers to.
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

    /// The rows from a page on.
    ///
    /// - Parameters:
    ///   - last: the row that they come behind; nil for the first ones.
    ///   - limit: how many at most.
    ///   - known: rows of which those are taken that are as they were.
    ///   - scanned: counts the records or entries that were looked at.
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
