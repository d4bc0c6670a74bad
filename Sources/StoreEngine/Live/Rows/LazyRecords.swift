/// The records of a live result at one position, which decodes each field when it is read. Use it for a long result of which you
/// read only a part.
///
/// ```swift
/// let all = try query.lazyResults
/// for record in all.prefix(20) { print(try record.name) }
/// try all.forEachBatch(of: 500) { records in … }
/// ```
public struct LazyRecords<R: Record>: RandomAccessCollection, Sendable {
    private let rows: LiveRows
    private let binding: TypedBinding?

    /// Creates an empty collection.
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

    /// Returns the record at an index, undecoded. Takes time logarithmic in the number of records.
    public subscript(index: Int) -> LazyRecord<R> {
        guard let binding else { preconditionFailure("there is no record \(index)") }
        return LazyRecord(rows[index].content, binding)
    }

    /// Calls `body` with one batch of records after another, until `body` returns false.
    ///
    /// Only the last batch may be smaller than the others. The call takes memory for one batch.
    ///
    /// - Throws: any error that `body` throws, and ``StoreError``: `invalidValue` for a batch size of less than 1; `damaged`.
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

/// A record of a live result. It keeps the record's bytes and decodes each field when it is read.
@dynamicMemberLookup
public struct LazyRecord<R: Record>: Sendable {
    private let content: RecordContent
    private let binding: TypedBinding

    init(_ content: RecordContent, _ binding: TypedBinding) {
        self.content = content
        self.binding = binding
    }

    /// Decodes one field on its own, in constant time.
    ///
    /// Throws ``StoreError``: `valueDoesNotFit` where the stored value is none of the field's type; `damaged`.
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        get throws(StoreError) { try value { $0[keyPath: field] } }
    }

    /// Decodes one field, which may be a field of an embedded struct: `record.value { $0.place.city }`.
    ///
    /// - Parameter field: a closure that receives the tokens of the record's fields.
    /// - Throws: ``StoreError``: `valueDoesNotFit`, `damaged`; `invalidValue` where the field belongs to another record.
    public func value<V>(_ field: (R.Fields) -> Field<R, V>) throws(StoreError) -> V {
        let field = try field(R.fields).ofRecord()
        do throws(CodecError) {
            let value = try content.withTable { (table) throws(CodecError) -> V? in
                let decoder = FieldDecoder(table, slots: binding.fieldIndexesByDeclared)
                guard let bytes = try decoder.bytes(ofDeclared: field.index) else { return nil }
                do throws(CodecError) {
                    return try field.decode(bytes)
                } catch {
                    throw field.inRecord(error)
                }
            }
            if let value { return value }
        } catch {
            throw content.unreadable(error, binding)
        }
        // The record's version is older than the field. Only the record's own initializer knows the field's initial value.
        return field.value(in: try record())
    }

    /// Decodes the whole record.
    ///
    /// - Throws: ``StoreError``: `valueDoesNotFit`, `damaged`.
    public func record() throws(StoreError) -> R { try content.freshRecord(R.self, binding) }
}
