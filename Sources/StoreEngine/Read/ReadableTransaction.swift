/// The reading methods that read transactions and write transactions share.
///
/// All reads in one transaction see one consistent state. In a write transaction that state includes everything that the closure
/// has written so far.
public protocol ReadableTransaction: ~Copyable {
    /// The context that this transaction reads through. Supports the methods below; do not use it directly.
    var _reading: ReadContext {
        @_lifetime(borrow self)
        borrowing get
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Returns the record with this id; nil where there is none.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `damaged` when the record does not match
    ///   its checksum.
    /// - Complexity: logarithmic in the number of records.
    @inlinable
    public borrowing func get<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
        try _reading.get(type, id: id)
    }

    /// Returns one field of the record with this id; nil where there is no such record.
    ///
    /// The method reads that field only, in constant time once the record is found. It does not check the record's checksum.
    @inlinable
    public borrowing func value<R: Record, V: FieldValue>(
        _ type: R.Type, id: R.ID, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V? {
        try _reading.value(type, id: id, R.fields[keyPath: field])
    }

    /// Returns the record that has `value` in the unique field `field`; nil where there is none.
    ///
    /// - Parameters:
    ///   - type: the record type.
    ///   - field: a field marked `@Unique`. The compiler accepts no other field.
    ///   - value: the value to look up.
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

    /// Whether there is a record with this id. The same as ``contains(_:id:)``.
    @inlinable
    public borrowing func exists<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> Bool {
        try contains(type, id: id)
    }

    /// Returns the number of records. Takes constant time.
    @inlinable
    public borrowing func count<R: Record>(_ type: R.Type) throws(StoreError) -> Int {
        try _reading.count(type)
    }

    /// Calls `body` with each record, in the order of ids, until `body` returns false.
    @inlinable
    public borrowing func forEach<R: Record>(_ type: R.Type, _ body: (R) throws -> Bool) throws {
        try _reading.forEach(_reading.allByID(type), body)
    }

    /// Returns all records in the order of ids. Takes memory for all of them; ``forEach(_:_:)-(R.Type,_)`` takes memory for one.
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
