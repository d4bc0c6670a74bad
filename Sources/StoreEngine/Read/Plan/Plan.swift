/// How a request is answered: where records are looked for, what they must still meet, and how they come in order.
package struct Plan: Sendable {
    /// Where records are looked for, in short.
    package enum Path: Hashable, Sendable {
        /// The records themselves, in the order of their ids.
        case records
        /// An index, by its place among the type's.
        case index(Int)
        /// The records that all of these indexes lead to.
        case intersection([Int])
        /// The records that one of the parts of an `||` leads to.
        case union
    }

    /// Where records are looked for.
    enum Source: Sendable {
        /// Along one path.
        case walk(PlannedWalk)
        /// Those that all walks lead to; the first is the shortest.
        case intersection([PlannedWalk])
        /// Those that one of the walks leads to.
        case union([PlannedWalk])
        /// Under keys that were found while the plan was made, in the order in which their entries were found.
        case keys(RecordKeyList)
    }

    let source: Source
    /// The condition that each record is tested by; nil when the source leads to no other records.
    let filter: CompiledCondition?
    /// The condition for the case that the keys of an intersection or a union are too many to hold, and all records are walked; nil
    /// where that cannot happen.
    let wholeFilter: CompiledCondition?
    /// Whether the source is walked from its end.
    let isBackward: Bool
    /// The order of the records; empty where their keys were found in it.
    let order: [SortPart]
    /// Whether they have to be sorted; else the source gives the order.
    let needsSort: Bool
    let limit: Int?
    let offset: Int
    /// Where the records begin that count; nil where all do.
    let position: PlanPosition?
    /// By what rows are told apart of which only the first counts; nil where all do.
    let distinct: DistinctFields?
    /// About how many records meet the condition; nil where the choice was clear without.
    let matching: RowEstimate?

    /// How many records are asked for at most, those that are left out included.
    var wanted: Int { Request.wanted(limit: limit, offset: offset) }
}

/// The runs of keys that a plan walks along one path.
struct PlannedWalk: Sendable {
    /// The index, by its place among the type's; nil for the records in the order of ids.
    let indexNumber: Int?
    let ranges: KeyRanges
    /// The places of the fields that the ranges speak of.
    let fields: [Int]
    /// About how many entries the ranges hold; nil where the choice was clear without.
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

/// One field that found records are sorted by.
struct SortPart: Sendable {
    let access: FieldAccess
    let component: KeyComponent
    var isDescending: Bool
    /// The way to the record that has the field, where it is not the one that is sorted.
    let path: ReferencePath?

    /// Appends the field's part of a sort key, whose bytes are in the order that is asked for.
    func append(
        _ table: FieldTable, _ scope: ReadContext, to writer: inout ByteWriter
    ) throws {
        guard let path else { return try append(table, to: &writer) }
        let start = writer.count
        try path.appendSortKey(table, component, scope, to: &writer)
        if isDescending { writer.complement(from: start) }
    }

    /// Appends the part of a field of the record itself.
    func append(_ table: FieldTable, to writer: inout ByteWriter) throws(CodecError) {
        let start = writer.count
        try appendKey(of: access.bytes(table), to: &writer)
        // Keys tell where they end, so that their complements compare the other way round.
        if isDescending { writer.complement(from: start) }
    }

    /// The place of the field, or of the first reference on the way to it, in the record that is sorted.
    var fieldIndex: Int { path?.hops.first?.access.fieldIndex ?? access.fieldIndex }

    /// The field's value, as records have it; nil where it is none, or stands behind a reference that leads nowhere.
    func value(_ table: FieldTable, _ scope: ReadContext) throws -> [UInt8]? {
        guard let path else { return try access.bytes(table)?.array() }
        var value: [UInt8]?
        _ = try path.follow(table, scope) { end in value = try access.bytes(end)?.array() }
        return value
    }

    /// Appends a value as it stands in keys, in whatever direction records are sorted.
    func appendKey(of value: RawSpan?, to writer: inout ByteWriter) throws(CodecError) {
        guard let value else { return writer.append(byte: 0) }
        if access.mayBeNone || path != nil { writer.append(byte: 1) }
        try component.append(value, to: &writer)
    }
}
