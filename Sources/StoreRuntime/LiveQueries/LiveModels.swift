import LMDB
public import StoreEngine

/// The records of a live result as models: which there are, and in which order, at one position. What the models show goes on.
///
/// ```swift
/// for sensor in try hot.models { print(sensor.celsius) }      // observed by the record and by the field
/// ```
///
/// A model is made when it is asked for, and kept by whoever has it. One whose record is not there any more shows what it was.
public struct LiveModels<R: Record>: RandomAccessCollection, Sendable {
    private let records: LiveRecords<R>
    private let source: (core: StoreCore, position: Position)?

    /// No models.
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

    /// The model of the record at a place. Takes time logarithmic in the number of records, and reads the record from the store where
    /// nobody has its model.
    public subscript(index: Int) -> Model<R> {
        guard let source else { preconditionFailure("there is no model \(index)") }
        return source.core.model(of: StoredRecord(records[index], records.rows[index]), at: source.position)
    }
}
