/// What read and write transactions share: looking at records.
///
/// Everything read in one transaction is one consistent state; in a write transaction it includes what the closure has
/// written so far.
public protocol ReadableTransaction: ~Copyable {
    /// What this transaction reads through. Support for the methods below; nothing to use directly.
    var _reading: ReadContext {
        @_lifetime(borrow self)
        borrowing get
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// The record with this id, or nil. Logarithmic in the number of records.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `damaged` when the record's
    ///   checksum does not fit.
    @inlinable
    public borrowing func get<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
        try _reading.get(type, id: id)
    }

    /// One field of the record with this id, or nil when there is no such record.
    ///
    /// Reads that field alone, in constant time once the record is found, and so does not check the checksum.
    @inlinable
    public borrowing func value<R: Record, V: FieldValue>(
        _ type: R.Type, id: R.ID, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V? {
        try _reading.value(type, id: id, R.fields[keyPath: field])
    }

    /// The record that has `value` in the unique field `field`, or nil.
    ///
    /// - Parameter field: one marked `@Unique`; the compiler takes no other.
    /// - Throws: ``StoreError``: `unknownField` when the field's unique index is not built in the store.
    @inlinable
    public borrowing func get<R: Record, V: IndexableValue>(
        _ type: R.Type, unique field: KeyPath<R.UniqueFields, Field<R, V>>, equals value: V
    ) throws(StoreError) -> R? {
        try _reading.get(type, unique: R.uniqueFields[keyPath: field], equals: value)
    }

    /// Whether there is a record with this id.
    @inlinable
    public borrowing func contains<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> Bool {
        try _reading.contains(type, id: id)
    }

    /// The number of records. Constant time.
    @inlinable
    public borrowing func count<R: Record>(_ type: R.Type) throws(StoreError) -> Int {
        try _reading.count(type)
    }

    /// Calls `body` with each record in the order of ids, until it returns false.
    @inlinable
    public borrowing func forEach<R: Record>(_ type: R.Type, _ body: (R) throws -> Bool) throws {
        try _reading.forEach(_reading.allByID(type), body)
    }

    /// All records in the order of ids. Takes memory for all of them; ``forEach(_:_:)`` takes it for one.
    @inlinable
    public borrowing func all<R: Record>(_ type: R.Type) throws -> [R] {
        var records: [R] = []
        records.reserveCapacity(try count(type))
        try forEach(type) { record in
            records.append(record)
            return true
        }
        return records
    }
}
