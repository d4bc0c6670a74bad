/// The way a request is answered: the source of the records, the condition that they must still meet, and their order.
package struct Plan: Sendable {
    /// The source of the records, in short.
    package enum Path: Hashable, Sendable {
        /// The records themselves, in the order of their ids.
        case records
        /// An index, by its number among the type's indexes.
        case index(Int)
        /// The records that all of these indexes lead to.
        case intersection([Int])
        /// The records that at least one part of an `||` leads to.
        case union
    }

    /// The source of the records.
    enum Source: Sendable {
        /// The records on one path.
        case walk(PlannedWalk)
        /// The records that all walks lead to. The first walk is the shortest.
        case intersection([PlannedWalk])
        /// The records that at least one of the walks leads to.
        case union([PlannedWalk])
        /// The records with keys that were found during planning, in the order in which their entries were found.
        case keys(RecordKeyList)
    }

    let source: Source
    /// The condition to test each record by; nil when the source leads only to matching records.
    let filter: CompiledCondition?
    /// The condition for a walk over all records, which replaces an intersection or a union whose keys exceed the memory limit.
    let wholeFilter: CompiledCondition?
    /// Whether the source is walked from its end.
    let isBackward: Bool
    /// The order of the records; empty where their keys were found in this order.
    let order: [SortPart]
    /// Whether the records have to be sorted. Otherwise the source gives the order.
    let needsSort: Bool
    let limit: Int?
    let offset: Int
    /// The position after which the records begin; nil to begin with the first.
    let position: PlanPosition?
    /// The fields that make rows distinct, where only the first of equal rows counts; nil where every row counts.
    let distinct: DistinctFields?
    /// The estimated number of records that meet the condition; nil where the choice needed no estimate.
    let matching: RowEstimate?

    /// The most records that the fetch has to find, including the skipped ones.
    var wanted: Int { Request.wanted(limit: limit, offset: offset) }
}

/// The key ranges that a plan walks on one path.
struct PlannedWalk: Sendable {
    /// The number of the index among the type's indexes; nil for the records in the order of ids.
    let indexNumber: Int?
    let ranges: KeyRanges
    /// The indexes of the fields that the ranges restrict.
    let fields: [Int]
    /// The estimated number of entries in the ranges; nil where the choice needed no estimate.
    var estimate: RowEstimate?

    var path: Plan.Path { indexNumber.map { .index($0) } ?? .records }

    init(indexNumber: Int?, ranges: KeyRanges, fields: [Int], estimate: RowEstimate? = nil) {
        self.indexNumber = indexNumber
        self.ranges = ranges
        self.fields = fields
        self.estimate = estimate
    }

    init(_ candidate: PathCandidate, estimate: RowEstimate?) {
        self.init(
            indexNumber: candidate.indexNumber, ranges: candidate.ranges, fields: candidate.boundFieldIndexes,
            estimate: estimate)
    }
}

/// A field that found records are sorted by.
struct SortPart: Sendable {
    let access: FieldAccess
    let component: KeyComponent
    var isDescending: Bool
    /// The path to the record that has the field; nil where the field belongs to the sorted record.
    let path: ReferencePath?

    /// Appends the field's part of a sort key. Its bytes sort in the requested order.
    func append(
        _ table: FieldTable, _ scope: ReadContext, to writer: inout ByteWriter
    ) throws {
        guard let path else { return try append(table, to: &writer) }
        let start = writer.count
        try path.appendSortKey(table, component, scope, to: &writer)
        if isDescending { writer.complement(from: start) }
    }

    /// Appends the part of a field that belongs to the record itself.
    func append(_ table: FieldTable, to writer: inout ByteWriter) throws(CodecError) {
        let start = writer.count
        try appendKey(of: access.bytes(table), to: &writer)
        // A key marks its own end, so the complements of keys compare the other way round.
        if isDescending { writer.complement(from: start) }
    }

    /// The index of the field in the sorted record, or of the first reference on the path to the field.
    var fieldIndex: Int { path?.hops.first?.access.fieldIndex ?? access.fieldIndex }

    /// Returns the field's encoded value; nil where it is none, or where a reference on the path leads nowhere.
    func value(_ table: FieldTable, _ scope: ReadContext) throws -> [UInt8]? {
        guard let path else { return try access.bytes(table)?.array() }
        var value: [UInt8]?
        _ = try path.follow(table, scope) { end in value = try access.bytes(end)?.array() }
        return value
    }

    /// Appends a value as in ascending keys, whatever the direction of the sort.
    func appendKey(of value: RawSpan?, to writer: inout ByteWriter) throws(CodecError) {
        guard let value else { return writer.append(byte: 0) }
        if access.mayBeNone || path != nil { writer.append(byte: 1) }
        try component.append(value, to: &writer)
    }
}
