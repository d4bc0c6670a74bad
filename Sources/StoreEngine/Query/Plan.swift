/// How a request is answered: where records are looked for, what they must still meet, and how they come in order.
package struct Plan: Sendable {
    /// Where records are looked for.
    package enum Path: Hashable, Sendable {
        /// The records themselves, in the order of their ids.
        case records
        /// An index, by its place among the type's.
        case index(Int)
    }

    package let path: Path
    /// The runs of keys to look through.
    let ranges: KeyRanges
    /// What each record must meet; nil when the ranges say it all.
    let filter: CompiledCondition?
    /// Whether the ranges are walked from their end.
    let isBackward: Bool
    /// What the records are ordered by.
    let order: [SortPart]
    /// Whether they have to be sorted; else the path gives the order.
    let needsSort: Bool
    let limit: Int?
    let offset: Int
}

/// One field that found records are sorted by.
struct SortPart: Sendable {
    let access: FieldAccess
    let component: KeyComponent
    let isDescending: Bool

    /// Appends the field's part of a sort key, whose bytes are in the order that is asked for.
    func append(_ table: FieldTable, _ places: [Int32]?, to writer: inout ByteWriter) throws(CodecError) {
        let start = writer.count
        if let bytes = try access.bytes(table, places) {
            if access.mayBeNone { writer.append(byte: 1) }
            try component.append(bytes, to: &writer)
        } else {
            writer.append(byte: 0)
        }
        // Keys tell where they end, so that their complements compare the other way round.
        if isDescending { writer.complement(from: start) }
    }
}
