/// The records to read together, each once, in the order of their keys. Each record has the array positions of the references
/// that lead to it.
@usableFromInline
struct PrefetchKeys: Sendable {
    /// The untruncated keys of the ids, in order.
    private var keys: [[UInt8]] = []
    /// The index in ``order`` at which the positions of each key begin, and the end of the last.
    private var starts = [0]
    private var order: [Int] = []

    /// Collects the records that `references` lead to.
    @inlinable
    init<Target: Record>(_ references: [Reference<Target>?]) {
        var asked: [(key: [UInt8], elementIndex: Int)] = []
        asked.reserveCapacity(references.count)
        var writer = ByteWriter(capacity: 64)
        for (elementIndex, reference) in references.enumerated() {
            guard let reference else { continue }
            writer.removeAll()
            reference.encodeKey(to: &writer)
            asked.append((writer.array(), elementIndex))
        }
        self.init(asked)
    }

    @usableFromInline
    init(_ asked: [(key: [UInt8], elementIndex: Int)]) {
        let sorted = asked.map { SortableKey($0.key, $0.elementIndex) }.sorted { $0.precedes($1) }
        for element in sorted {
            if keys.last == element.key {
                starts[keys.count] += 1
            } else {
                keys.append(element.key)
                starts.append(order.count + 1)
            }
            order.append(element.number)
        }
    }

    /// The numbers of the records.
    @usableFromInline var groups: Range<Int> { keys.indices }

    /// Returns the untruncated key of a record's id.
    @usableFromInline
    func key(_ group: Int) -> [UInt8] { keys[group] }

    /// Returns the keys of the records, which may be truncated.
    @usableFromInline
    func recordKeys(_ binding: TypedBinding) -> RecordKeyList {
        var list = RecordKeyList(byteCount: 16 * keys.count, count: keys.count)
        for key in keys {
            guard key.count > KeyLimit.recordKey else {
                unsafe list.append(key.span.bytes)
                continue
            }
            var truncated = ByteWriter(capacity: key.count)
            truncated.append(key)
            KeyLimit.truncateRecordKey(&truncated, binding.type.keyHash)
            list.append(truncated.bytes)
        }
        return list
    }

    /// Returns the array positions of the references that lead to a record, in order.
    @usableFromInline
    func elementIndexes(_ group: Int) -> ArraySlice<Int> { order[starts[group]..<starts[group + 1]] }
}

/// A key with a number, in a form for sorting. The first eight bytes of the key, as an integer, decide most comparisons.
@usableFromInline
struct SortableKey: Sendable {
    @usableFromInline let key: [UInt8]
    /// The array position of a reference that leads to the record with the key.
    @usableFromInline let number: Int
    private let word: UInt64

    init(_ key: [UInt8], _ number: Int) {
        self.key = key
        self.number = number
        word = unsafe key.span.bytes.leadingWord
    }

    func precedes(_ other: SortableKey) -> Bool {
        if word != other.word { return word < other.word }
        let order = unsafe key.span.bytes.compared(to: other.key.span.bytes)
        return order == 0 ? number < other.number : order < 0
    }
}
