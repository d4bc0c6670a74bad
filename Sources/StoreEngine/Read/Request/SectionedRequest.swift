/// A fetch request whose records are returned in sections. Make one with ``FetchRequest/sections(by:)``.
public struct SectionedRequest<R: Record, Key>: Sendable {
    let request: Request
    let key: Projection<R, Key>
}

/// Consecutive records of a request that have equal values in one field.
public struct Section<Key, R> {
    /// The value of that field, which is the section's header.
    public let key: Key
    /// The records, in the request's order.
    public let records: [R]
}

extension Section: Sendable where Key: Sendable, R: Sendable {}
extension Section: Equatable where Key: Equatable, R: Equatable {}

extension FetchRequest {
    /// Returns a request for the records in sections with equal values in a field.
    ///
    /// Sections come in the order of that field. If the request orders by the field first, its direction is kept. Otherwise the
    /// field becomes the first sort key, ascending. The limit and the offset apply to records.
    ///
    /// - Parameter key: a closure that receives the tokens of the record's fields and returns one that has an order.
    public func sections<Key>(by key: (R.Fields) -> Field<R, Key>) -> SectionedRequest<R, Key> {
        let field = key(R.fields)
        let header = FieldName(field.name)
        var request = request
        if request.order.first?.field != header { request.order.insert(SortTerm(header), at: 0) }
        return SectionedRequest(request: request, key: Projection(field, of: self))
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Fetches the sections that a request asks for.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``.
    public borrowing func fetch<R: Record, Key>(
        _ sectioned: SectionedRequest<R, Key>
    ) throws(StoreError) -> [Section<Key, R>] {
        try _reading.fetch(sectioned)
    }
}

extension ReadContext {
    func fetch<R: Record, Key>(_ sectioned: SectionedRequest<R, Key>) throws(StoreError) -> [Section<Key, R>] {
        let binding = try binding(R.self)
        let key = try GroupKey(sectioned.key.request.fields ?? [], of: binding.type, in: catalog)
        let paths = try FollowedPaths(sectioned.key, binding.type, in: catalog)
        var cursor = try fetchCursor(sectioned.request, typeIndex: binding.typeIndex)
        var sections: [Section<Key, R>] = []
        var current: (header: Key, key: [UInt8], records: [R])?
        while try cursor.advance() {
            let bytes = try cursor.key(key)
            if current?.key != bytes {
                if let current { sections.append(Section(key: current.header, records: current.records)) }
                current = (try cursor.rowOfRecord(sectioned.key, paths, binding), bytes, [])
            }
            current?.records.append(try cursor.decoded(binding))
        }
        if let current { sections.append(Section(key: current.header, records: current.records)) }
        return sections
    }
}
