/// A cursor over the records that a request asks for, one at a time. It takes constant memory, unless the records have to be
/// sorted.
///
/// ```swift
/// try store.read { tx in
///     var sensors = try tx.cursor(Sensor.order { $0.id.ascending })
///     while let sensor = try sensors.next() { … }
/// }
/// ```
///
/// A cursor cannot outlive its transaction; the compiler enforces this.
public struct RecordCursor<R: Record>: ~Copyable, ~Escapable {
    private var cursor: FetchCursor
    private let binding: TypedBinding

    @_lifetime(copy scope)
    init(_ request: FetchRequest<R>, _ scope: ReadContext) throws(StoreError) {
        let binding = try scope.binding(R.self)
        cursor = try scope.fetchCursor(request, binding)
        self.binding = binding
    }

    /// Returns the next record; nil at the end.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public mutating func next() throws(StoreError) -> R? {
        guard try cursor.advance() else { return nil }
        return try cursor.decoded(binding)
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Returns a cursor before the first record that a request asks for.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``.
    @_lifetime(borrow self)
    public borrowing func cursor<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> RecordCursor<R> {
        try RecordCursor(request, _reading)
    }
}
