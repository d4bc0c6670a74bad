/// The records of a live result at one position, of which each field is decoded when it is asked for: for results that are long, and
/// of which little is looked at.
///
/// ```swift
/// let all = try query.lazyResults
/// for record in all.prefix(20) { print(try record.name) }
/// try all.forEachBatch(of: 500) { records in … }
/// ```
public struct LazyRecords<R: Record>: RandomAccessCollection, Sendable {
    private let rows: LiveRows
    private let binding: TypedBinding?

    /// No records.
    public init() {
        rows = LiveRows()
        binding = nil
    }

    /// - Throws: ``StoreError`` with the code `unknownType` when the store was opened without `R`.
    package init(_ rows: LiveRows, _ catalog: Catalog) throws(StoreError) {
        self.rows = rows
        binding = try catalog.binding(R.self)
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { rows.count }

    /// The record at a place, undecoded. Takes time logarithmic in the number of records.
    public subscript(index: Int) -> LazyRecord<R> {
        guard let binding else { preconditionFailure("there is no record \(index)") }
        return LazyRecord(rows[index].content, binding)
    }

    /// Calls `body` with batch after batch of the records, until it returns false. Only the last batch may be smaller. Takes memory for
    /// one batch.
    ///
    /// - Throws: what `body` throws, and ``StoreError``: `invalidValue` for a batch of less than 1; `damaged`.
    public func forEachBatch(of size: Int, _ body: ([R]) throws -> Bool) throws {
        guard size > 0 else { throw StoreError(.invalidValue, "a batch holds at least 1 record") }
        var start = 0
        while start < count {
            let end = Swift.min(start + size, count)
            guard try body(self[start..<end].map { try $0.record() }) else { return }
            start = end
        }
    }
}

/// A record of a live result, of which fields are decoded one by one. It keeps the record's bytes.
@dynamicMemberLookup
public struct LazyRecord<R: Record>: Sendable {
    private let content: RecordContent
    private let binding: TypedBinding

    init(_ content: RecordContent, _ binding: TypedBinding) {
        self.content = content
        self.binding = binding
    }

    /// One field, decoded alone, in constant time.
    ///
    /// Throws ``StoreError`` with the code `damaged` where the bytes are no such value.
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        get throws(StoreError) { try value { $0[keyPath: field] } }
    }

    /// One field, which may be one of an embedded struct: `record.value { $0.place.city }`.
    ///
    /// - Parameter field: gets the tokens of the record's fields.
    /// - Throws: ``StoreError``: `damaged`; `invalidValue` where the field is one of another record.
    public func value<V>(_ field: (R.Fields) -> Field<R, V>) throws(StoreError) -> V {
        let field = try field(R.fields).ofRecord()
        do throws(CodecError) {
            let value = try content.withTable { (table) throws(CodecError) -> V? in
                let decoder = FieldDecoder(table, slots: binding.fieldIndexesByDeclared)
                guard let bytes = try decoder.bytes(ofDeclared: field.index) else { return nil }
                return try field.decode(bytes)
            }
            if let value { return value }
        } catch {
            throw StoreError(error, at: "a record of \(binding.type.name)")
        }
        // A version before the field: what stands in for it is known to the record's own initializer.
        return field.value(in: try record())
    }

    /// The whole record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func record() throws(StoreError) -> R { try content.freshRecord(R.self, binding) }
}
