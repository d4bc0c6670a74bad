// Fetches records together with the records that they refer to, or that refer to them. One pass over the keys reads all related
// records, where a loop with a look-up for each record would make n + 1 reads.
extension ReadableTransaction where Self: ~Copyable {
    /// Returns the records of a request, each with the record that it refers to.
    ///
    /// - Returns: pairs in the order of the request. The second record is nil where a reference with the rule `none` leads to no
    ///   record.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: that of the request, plus a sorted pass over the referenced records, each read once.
    @inlinable
    public borrowing func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Reference<Target>>>
    ) throws(StoreError) -> [(R, Target?)] {
        let token = try R.fields[keyPath: field].ofRecord()
        let records = try fetch(request)
        let targets = try _reading.targets(of: records.map { token.value(in: $0) }).found
        return zip(records, targets).map { ($0, $1) }
    }

    /// Returns the records of a request, each with the record that it refers to, if any.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: that of the request, plus a sorted pass over the referenced records, each read once.
    @inlinable
    public borrowing func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Reference<Target>?>>
    ) throws(StoreError) -> [(R, Target?)] {
        let token = try R.fields[keyPath: field].ofRecord()
        let records = try fetch(request)
        let targets = try _reading.targets(of: records.map { token.value(in: $0) }).found
        return zip(records, targets).map { ($0, $1) }
    }

    /// Returns the records of a request, each with the records that it refers to, in the order of its array.
    ///
    /// - Returns: pairs in the order of the request. References with the rule `none` that lead to no record are left out.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: that of the request, plus a sorted pass over the referenced records, each read once.
    @inlinable
    public borrowing func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, [Reference<Target>]>>
    ) throws(StoreError) -> [(R, [Target])] {
        let token = try R.fields[keyPath: field].ofRecord()
        return try _reading.records(fetch(request)) { token.value(in: $0) }
    }

    /// Returns the records of a request, each with the records that it refers to, in the order of its array. The list is empty
    /// where the array is nil.
    ///
    /// - Returns: pairs in the order of the request. References with the rule `none` that lead to no record are left out.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: that of the request, plus a sorted pass over the referenced records, each read once.
    @inlinable
    public borrowing func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, [Reference<Target>]?>>
    ) throws(StoreError) -> [(R, [Target])] {
        let token = try R.fields[keyPath: field].ofRecord()
        return try _reading.records(fetch(request)) { token.value(in: $0) ?? [] }
    }

    /// Returns the records of a request, each with the records that it refers to, in the order of their ids.
    ///
    /// - Returns: pairs in the order of the request. References with the rule `none` that lead to no record are left out.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: that of the request, plus a sorted pass over the referenced records, each read once.
    @inlinable
    public borrowing func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Set<Reference<Target>>>>
    ) throws(StoreError) -> [(R, [Target])] {
        let token = try R.fields[keyPath: field].ofRecord()
        return try _reading.records(fetch(request)) { token.value(in: $0).inOrder() }
    }

    /// Returns the records of a request, each with the records that it refers to, in the order of their ids. The list is empty
    /// where the set is nil.
    ///
    /// - Returns: pairs in the order of the request. References with the rule `none` that lead to no record are left out.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: that of the request, plus a sorted pass over the referenced records, each read once.
    @inlinable
    public borrowing func fetch<R: Record, Target: Record>(
        _ request: FetchRequest<R>, with field: KeyPath<R.Fields, Field<R, Set<Reference<Target>>?>>
    ) throws(StoreError) -> [(R, [Target])] {
        let token = try R.fields[keyPath: field].ofRecord()
        return try _reading.records(fetch(request)) { token.value(in: $0)?.inOrder() ?? [] }
    }

    /// Returns the records of a request, each with the records that refer to it, in the order of their ids.
    ///
    /// - Returns: pairs in the order of the request.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: that of the request, plus a sorted pass over the index on the reference and over the referring records, each
    ///   read once.
    @inlinable
    public borrowing func fetch<Target: Record, Source: Record>(
        _ request: FetchRequest<Target>, with inverse: Inverse<Target, Source>
    ) throws(StoreError) -> [(Target, [Source])] {
        let records = try fetch(request)
        let sources = try _reading.sources(inverse, of: records.map { Reference(to: $0) }).found
        return zip(records, sources).map { ($0, $1) }
    }
}

extension ReadContext {
    /// Returns the records that references lead to, in the order of the references, and the number of records read.
    @inlinable
    package func targets<Target: Record>(
        of references: [Reference<Target>?]
    ) throws(StoreError) -> (found: [Target?], scannedCount: Int) {
        let keys = PrefetchKeys(references)
        var found: [Target?] = Array(repeating: nil, count: references.count)
        let binding = try binding(Target.self)
        var lookup = lookup(binding, keys.recordKeys(binding))
        for group in keys.groups {
            guard let stored = try lookup.find(group),
                try hasID(stored, key: lookup.key(group), keys.key(group), binding)
            else { continue }
            let record: Target = try decoded(stored, key: lookup.key(group), binding)
            for elementIndex in keys.elementIndexes(group) { found[elementIndex] = record }
        }
        return (found, lookup.count)
    }

    /// Returns records, each with the records that it refers to.
    @inlinable
    func records<R: Record, Target: Record>(
        _ records: [R], with references: (R) -> [Reference<Target>]
    ) throws(StoreError) -> [(R, [Target])] {
        let references = records.map(references)
        var targets = try targets(of: references.flatMap { $0 }).found[...]
        var pairs: [(R, [Target])] = []
        pairs.reserveCapacity(records.count)
        for (record, own) in zip(records, references) {
            pairs.append((record, targets.prefix(own.count).compactMap { $0 }))
            targets = targets.dropFirst(own.count)
        }
        return pairs
    }

    /// Returns for each record the records that refer to it, and the number of entries and records read.
    @inlinable
    package func sources<Target: Record, Source: Record>(
        _ inverse: Inverse<Target, Source>, of records: [Reference<Target>]
    ) throws(StoreError) -> (found: [[Source]], scannedCount: Int) {
        let binding = try binding(Source.self)
        let keys = PrefetchKeys(records)
        let list = try referrers(inverse.field, binding, keys)
        let sources = try locatedRecords(binding, list)
        var found: [[Source]] = Array(repeating: [], count: records.count)
        var start = 0
        for group in keys.groups {
            let end = start + list.counts[group]
            var own: [Source] = []
            own.reserveCapacity(end - start)
            for elementIndex in start..<end {
                own.append(try decoded(sources.record(elementIndex), key: sources.key(elementIndex), binding))
            }
            if list.mayBeTruncated { own.sortByID() }
            for elementIndex in keys.elementIndexes(group) { found[elementIndex] = own }
            start = end
        }
        return (found, 2 * list.count)
    }

    /// Returns a look-up of the records of a type by their keys.
    @usableFromInline
    @_lifetime(copy self)
    func lookup(_ binding: TypedBinding, _ keys: RecordKeyList) -> RecordLookup {
        note(binding.type.type)
        return RecordLookup(self, binding.type, keys)
    }

    /// Returns whether a stored record has exactly the id that it was looked up by. The record's key may hold only the beginning
    /// of its id.
    ///
    /// - Parameter idKey: the untruncated key of the id.
    @usableFromInline
    func hasID(
        _ stored: RawSpan, key: RawSpan, _ idKey: [UInt8], _ binding: TypedBinding
    ) throws(StoreError) -> Bool {
        guard idKey.count > KeyLimit.recordKey else { return true }
        do {
            return try Referrers.idKey(of: stored, binding.type) == idKey
        } catch {
            throw unreadable(binding, key: key, error)
        }
    }
}

extension Array where Element: Record {
    /// Sorts records by id.
    @usableFromInline
    mutating func sortByID() {
        let keyed = map { record in
            var key = ByteWriter(capacity: 512)
            Element._key(of: record.recordID).encodeKey(to: &key)
            return (key: key.array(), record: record)
        }
        self = keyed.sorted { $0.key.compared(to: $1.key) < 0 }.map(\.record)
    }
}

extension Set {
    /// Returns the references in the order of their records' ids.
    @usableFromInline
    func inOrder<Target: Record>() -> [Element] where Element == Reference<Target> {
        let elements = Array(self)
        let keys = PrefetchKeys(elements)
        return keys.groups.flatMap { keys.elementIndexes($0).map { elements[$0] } }
    }
}
