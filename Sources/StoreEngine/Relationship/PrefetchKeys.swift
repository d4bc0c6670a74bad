/// The records that are to be read together: each once, in the order of their keys, with the places of those that ask for
/// it.
@usableFromInline
struct PrefetchKeys: Sendable {
    /// The whole keys of the ids, in order.
    private var keys: [[UInt8]] = []
    /// Where the places of each key begin in ``order``, and the end of the last.
    private var starts = [0]
    private var order: [Int] = []

    /// The records that `references` lead to.
    @inlinable
    init<Target: Record>(_ references: [Reference<Target>?]) {
        var asked: [(key: [UInt8], place: Int)] = []
        asked.reserveCapacity(references.count)
        var writer = ByteWriter(capacity: 64)
        for (place, reference) in references.enumerated() {
            guard let reference else { continue }
            writer.removeAll()
            reference.encodeKey(to: &writer)
            asked.append((writer.array(), place))
        }
        self.init(asked)
    }

    @usableFromInline
    init(_ asked: [(key: [UInt8], place: Int)]) {
        let sorted = asked.sorted { left, right in
            left.key == right.key ? left.place < right.place : left.key.lexicographicallyPrecedes(right.key)
        }
        for (key, place) in sorted {
            if keys.last == key {
                starts[keys.count] += 1
            } else {
                keys.append(key)
                starts.append(order.count + 1)
            }
            order.append(place)
        }
    }

    /// The numbers of the records.
    @usableFromInline var groups: Range<Int> { keys.indices }

    /// The whole key of a record's id.
    @usableFromInline
    func key(_ group: Int) -> [UInt8] { keys[group] }

    /// The places of those that ask for a record, in order.
    @usableFromInline
    func places(_ group: Int) -> ArraySlice<Int> { order[starts[group]..<starts[group + 1]] }
}

/// A record that refers to one that is asked for.
@usableFromInline
struct PrefetchedReferrer: Sendable {
    /// The key of the record that refers.
    @usableFromInline let key: [UInt8]
    /// The number of the record that it refers to.
    @usableFromInline let group: Int
}

extension ReadingScope {
    /// The records that refer to those that are asked for, in the order of their keys.
    @usableFromInline
    func referrers(
        _ field: String, _ binding: TypedBinding, _ keys: PrefetchKeys
    ) throws(StoreError) -> [PrefetchedReferrer] {
        let type = binding.type
        let outgoing = state.catalog.references.outgoing[binding.typeIndex]
        guard let reference = outgoing.first(where: { type.type.fields[$0.place].name == field }) else {
            throw StoreError(.unknownField, "\(type.name) refers to nothing by \(field)")
        }
        let referrers = Referrers(snapshot, state.catalog)
        var found: [PrefetchedReferrer] = []
        do {
            for group in keys.groups {
                let target = ReferenceTarget(type: reference.target, idKey: keys.key(group))
                for key in try referrers.keys(reference, to: target) {
                    found.append(PrefetchedReferrer(key: key, group: group))
                }
            }
        } catch {
            throw StoreError(reading: error, at: "the index on \(type.name).\(field)")
        }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        return found
    }
}
