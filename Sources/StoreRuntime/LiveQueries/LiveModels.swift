import LMDB
public import StoreEngine

/// The records of a live result as models, in the order of the result at one position. The models themselves keep changing.
///
/// ```swift
/// for sensor in try hot.models { print(sensor.celsius) }      // tracked by record and by field
/// ```
///
/// Accessing an element creates its model if the record has none. The collection does not keep the model alive. The model of a
/// deleted record keeps the last values.
public struct LiveModels<R: Record>: RandomAccessCollection, Sendable {
    private let records: LiveRecords<R>
    private let source: (core: StoreCore, position: Position)?

    /// Creates a collection without models.
    public init() {
        records = LiveRecords()
        source = nil
    }

    init(_ records: LiveRecords<R>, at position: Position, _ core: StoreCore) {
        self.records = records
        source = (core, position)
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { records.count }

    /// The model of the record at an index. If the record has no live model, the access may read the record from the store.
    ///
    /// - Complexity: logarithmic in the number of records.
    public subscript(index: Int) -> Model<R> {
        guard let source else { preconditionFailure("there is no model \(index)") }
        return source.core.model(of: StoredRecord(records[index], records.rows[index]), at: source.position)
    }
}
