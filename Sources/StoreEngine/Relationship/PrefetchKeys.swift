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

    /// The whole key of a record's id.
    @usableFromInline
    func key(_ group: Int) -> [UInt8] { keys[group] }

    /// The keys of the records, which may be truncated.
    @usableFromInline
    func recordKeys() -> RecordKeyList {
        var list = RecordKeyList(byteCount: 16 * keys.count, count: keys.count)
        for key in keys {
            guard key.count > KeyLimit.recordKey else {
                unsafe list.append(key.span.bytes)
                continue
            }
            var truncated = ByteWriter(capacity: key.count)
            truncated.append(key)
            KeyLimit.truncateRecordKey(&truncated)
            list.append(truncated.bytes)
        }
        return list
    }

    /// The places of those that ask for a record, in order.
    @usableFromInline
    func elementIndexes(_ group: Int) -> ArraySlice<Int> { order[starts[group]..<starts[group + 1]] }
}

/// A key with a number, made to be sorted: its first eight bytes, as an integer, settle most comparisons.
@usableFromInline
struct SortableKey: Sendable {
    @usableFromInline let key: [UInt8]
    /// The place of one who asks for it.
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
