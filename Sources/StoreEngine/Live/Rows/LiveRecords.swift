/// The records of a live result at one position: an immutable collection that shares all that has not changed with those
/// before and after it.
public struct LiveRecords<R: Record>: RandomAccessCollection, Sendable {
    package let rows: LiveRows
    private let binding: TypedBinding?

    /// No records.
    public init() {
        rows = LiveRows()
        binding = nil
    }

    /// Decodes the rows that were not decoded before.
    ///
    /// - Parameter undecoded: the places of those; nil where that is not known.
    /// - Throws: ``StoreError`` with the code `damaged`.
    package init(_ rows: LiveRows, _ catalog: Catalog, undecoded: [Int]? = nil) throws(StoreError) {
        let binding = try catalog.binding(R.self)
        self.rows = rows
        self.binding = binding
        // Each is decoded once, by whoever comes first; here an error has a way out.
        if let undecoded {
            for index in undecoded { _ = try rows[index].content.record(R.self, binding) }
        } else {
            for row in rows { _ = try row.content.record(R.self, binding) }
        }
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { rows.count }

    /// The record at a place. Takes time logarithmic in the number of records.
    public subscript(index: Int) -> R {
        guard let binding else { preconditionFailure("there is no record \(index)") }
        do {
            return try rows[index].content.record(R.self, binding)
        } catch {
            preconditionFailure("a row that was decoded before cannot be decoded: \(error)")
        }
    }
}

extension LiveRecords: Equatable {
    /// Whether both have equal records in the same order.
    public static func == (left: LiveRecords, right: LiveRecords) -> Bool { left.elementsEqual(right) }
}

/// Where a request's results come from while they are kept up to date.
package protocol LiveSource<R>: AnyObject, Sendable {
    associatedtype R: Record

    /// The results; those known last where they are not kept up to date any more.
    var records: LiveRecords<R> { get }
}
