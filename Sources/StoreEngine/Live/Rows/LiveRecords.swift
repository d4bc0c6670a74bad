/// The records of a live result at one position. The collection is immutable, and shares all unchanged rows with the results
/// before and after it.
public struct LiveRecords<R: Record>: RandomAccessCollection, Sendable {
    package let rows: LiveRows
    private let binding: TypedBinding?

    /// Creates an empty collection.
    public init() {
        rows = LiveRows()
        binding = nil
    }

    /// Creates the collection, and decodes the rows that have not been decoded before.
    ///
    /// - Parameter undecoded: the indexes of these rows; nil where they are not known.
    /// - Throws: ``StoreError`` with the code `damaged`.
    package init(_ rows: LiveRows, _ catalog: Catalog, undecoded: [Int]? = nil) throws(StoreError) {
        let binding = try catalog.binding(R.self)
        self.rows = rows
        self.binding = binding
        // The first reader would decode each row anyway. Decoding here can throw; a subscript cannot.
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

    /// Returns the record at an index. Takes time logarithmic in the number of records.
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
    /// Whether both collections have equal records in the same order.
    public static func == (left: LiveRecords, right: LiveRecords) -> Bool { left.elementsEqual(right) }
}

/// Provides the results of a request while they are kept up to date.
package protocol LiveSource<R>: AnyObject, Sendable {
    associatedtype R: Record

    /// The current results; after updates have ended, the last known results.
    var records: LiveRecords<R> { get }
}
