public import StoreEngine

/// The records of a live result at one position: an immutable collection that shares all that has not changed with those
/// before and after it.
public struct LiveRecords<R: Record>: RandomAccessCollection, Sendable {
    let rows: LiveRows
    private let binding: TypedBinding

    /// Decodes the rows that were not decoded before.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    init(_ shown: LiveShown) throws(StoreError) {
        binding = try shown.catalog.binding(R.self)
        rows = shown.rows
        // Each is decoded once, by whoever comes first; here an error has a way out.
        for row in rows { _ = try row.content.record(R.self, binding) }
    }

    /// The same, where all rows but some are known to be decoded.
    init(_ shown: LiveShown, undecoded: some Sequence<Int>) throws(StoreError) {
        binding = try shown.catalog.binding(R.self)
        rows = shown.rows
        for index in undecoded { _ = try rows[index].content.record(R.self, binding) }
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { rows.count }

    /// The record at a place. Takes logarithmic time.
    public subscript(index: Int) -> R { LiveRecords.record(rows[index], binding) }

    static func record(_ row: LiveRow, _ binding: TypedBinding) -> R {
        do {
            return try row.content.record(R.self, binding)
        } catch {
            preconditionFailure("a row that was decoded before cannot be decoded: \(error)")
        }
    }
}

extension LiveRecords: Equatable {
    /// Whether both have equal records in the same order.
    public static func == (left: LiveRecords, right: LiveRecords) -> Bool { left.elementsEqual(right) }
}
