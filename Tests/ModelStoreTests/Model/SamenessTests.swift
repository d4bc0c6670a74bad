import ModelStore
import StoreRuntime
import Synchronization
import TestSupport
import Testing

@Embedded
struct DialReading {
    var number: Double = 0
    var text: String = ""

    /// Returns whether both values have the same bits and bytes.
    func isSame(as other: DialReading?) -> Bool {
        guard let other else { return false }
        return number.bitPattern == other.number.bitPattern && text.utf8.elementsEqual(other.text.utf8)
    }
}

@Record
struct Dial {
    @ID var id: Int = 1
    var number: Double = 0
    var text: String = ""
    var sample: DialReading = DialReading()
    var touches: Int = 0

    init(_ sample: DialReading) {
        number = sample.number
        text = sample.text
        self.sample = sample
    }
}

@Record
private struct Mark {
    @ID var id: Int
    @Unique var level: Double
}

/// A value type of the program that the store does not know.
private struct Summary: Equatable, Sendable {
    var mean: Double
    var count: Int
}

/// Two states of a value for which Swift's `==` differs from the store's rule.
enum ValuePair: String, CaseIterable, CustomTestStringConvertible {
    case nan, zero, text

    var testDescription: String { rawValue }

    var old: DialReading {
        switch self {
        case .nan: DialReading(number: .nan)
        case .zero: DialReading(number: 0)
        case .text: DialReading(text: "\u{E9}")
        }
    }

    var new: DialReading {
        switch self {
        case .nan: DialReading(number: .nan)
        case .zero: DialReading(number: -0.0)
        case .text: DialReading(text: "e\u{301}")
        }
    }

    /// Whether the store treats both states as the same.
    var isSame: Bool { self == .nan }
}

/// Reads the elements of a sequence one at a time, each in its own task. Only one of these tasks runs at a time.
final class ElementReader: @unchecked Sendable {
    private var iterator: any AsyncIteratorProtocol<DialReading, any Error>

    init(_ sequence: some AsyncSequence<DialReading, any Error>) { iterator = sequence.makeAsyncIterator() }

    func next() async throws -> DialReading? { try await iterator.next(isolation: nil) }

    /// Starts to wait for an element. An element that is already available is taken before this call returns.
    func start() -> (task: Task<DialReading?, any Error>, isDone: @Sendable () -> Bool) {
        let ends = Ends()
        let task = Task.immediate {
            defer { ends.count.add(1, ordering: .relaxed) }
            return try await self.next()
        }
        return (task, { ends.count.load(ordering: .relaxed) > 0 })
    }

    private final class Ends: Sendable {
        let count = Atomic(0)
    }
}

/// The definition of a change, wherever the store needs one: the stored form of the value differs.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SamenessTests {
    /// The ways to follow the content of a record.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case number, text, part, whole, several, changes, updates
        case computedNumber, computedText, record, records, dictionary, lists

        var testDescription: String { rawValue }

        /// Returns the part of a state that this way delivers.
        func part(of sample: DialReading) -> DialReading {
            switch self {
            case .number, .part, .computedNumber: DialReading(number: sample.number)
            case .text, .computedText: DialReading(text: sample.text)
            default: sample
            }
        }

        /// Whether this way delivers every change of the record.
        var isOfWholeRecord: Bool { self == .changes }

        func follow(_ store: Store) throws -> ElementReader {
            let model = try store.model(Dial.self, id: 1)
            let all = FetchRequest(Dial.self)
            switch self {
            case .number: return reader(model.values(of: \.number)) { DialReading(number: $0) }
            case .text: return reader(model.values(of: \.text)) { DialReading(text: $0) }
            case .part: return reader(model.values(of: \.sample.number)) { DialReading(number: $0) }
            case .whole: return reader(model.values(of: \.sample)) { $0 }
            case .several:
                return reader(model.values(of: \.sample.text, \.number)) { DialReading(number: $0.1, text: $0.0) }
            case .changes: return reader(model.changes) { $0.new?.sample ?? DialReading() }
            case .updates:
                return reader(store.updates(of: all, fields: \.number, \.text)) { $0.results[0].sample }
            case .computedNumber:
                return reader(store.values(of: all) { try $0.fetch($1)[0].number }) { DialReading(number: $0.value) }
            case .computedText:
                return reader(store.values(of: all) { try $0.fetch($1)[0].text }) { DialReading(text: $0.value) }
            case .record:
                let values = store.values(of: all) { try $0.fetch($1).first.map(Self.untouched) }
                return reader(values) { $0.value?.sample ?? DialReading() }
            case .records:
                let values = store.values(of: all) { try $0.fetch($1).map(Self.untouched) }
                return reader(values) { $0.value[0].sample }
            case .dictionary:
                let values = store.values(of: all) { view, request in
                    Dictionary(grouping: try view.fetch(request).map(Self.untouched), by: \.id)
                }
                return reader(values) { $0.value[1]?[0].sample ?? DialReading() }
            case .lists:
                let values = store.values(of: all) { view, request in
                    try view.fetch(request.sections { $0.text }).map { $0.records.map(Self.untouched) }
                }
                return reader(values) { $0.value[0][0].sample }
            }
        }

        private func reader<S: AsyncSequence & Sendable>(
            _ sequence: S, _ sample: @escaping @Sendable (S.Element) -> DialReading
        ) -> ElementReader {
            ElementReader(sequence.map { (element) async throws in sample(element) })
        }

        /// Returns the record without the field that each write changes.
        private static func untouched(_ record: Dial) -> Dial {
            var record = record
            record.touches = 0
            return record
        }
    }

    private static func store(_ first: DialReading) async throws -> Store {
        let store = try Store.temporary(records: Dial.self, Mark.self, options: ChangeFeedTests.small())
        try await store.write { _ = try $0.insert(Dial(first)) }
        return store
    }

    private static func set(_ sample: DialReading, in store: Store) async throws {
        try await store.write { tx in
            _ = try tx.update(Dial.self, id: 1) { record in
                let touches = record.touches
                record = Dial(sample)
                record.touches = touches + 1
            }
        }
    }

    // MARK: Conditional writes

    @Test(arguments: ValuePair.allCases)
    func `a write on the condition that a record is unchanged finds it unchanged as the store does`(
        pair: ValuePair
    ) async throws {
        let store = try await Self.store(pair.old)
        let read = try #require(try store.read { try $0.get(Dial.self, id: 1) })
        try await store.write { tx in
            var next = read
            next.touches = 1
            try tx.update(next, ifUnchanged: read)
        }
        let changed = try #require(try store.read { try $0.get(Dial.self, id: 1) })
        #expect(changed.touches == 1)
        var other = changed
        other.sample = pair.new
        let (attempt, isSame) = (other, pair.isSame)
        for write in [
            { @Sendable (tx: inout WriteTransaction) in try tx.update(changed, ifUnchanged: attempt) },
            { @Sendable (tx: inout WriteTransaction) in try tx.delete(ifUnchanged: attempt) },
        ] {
            do {
                try await store.write { tx in
                    try write(&tx)
                    if isSame { _ = try tx.upsert(changed) }
                }
                #expect(isSame)
            } catch let error as StoreError {
                #expect(!isSame && error.code == .conditionNotMet)
            }
        }
        try await store.write { try $0.delete(ifUnchanged: changed) }
        #expect(try store.read { try $0.get(Dial.self, id: 1) } == nil)
    }

    @Test func `a record is found by a unique value that is no number`() async throws {
        let store = try await Self.store(DialReading())
        try await store.write { _ = try $0.insert(Mark(id: 1, level: .nan)) }
        #expect(try store.read { try $0.get(Mark.self, unique: \.level, equals: .nan) }?.id == 1)
        #expect(try store.read { try $0.get(Mark.self, unique: \.level, equals: 0) } == nil)
    }

    // MARK: Sequences

    @Test(arguments: Way.allCases, ValuePair.allCases)
    func `a sequence delivers what the store stores as another value, and nothing else`(
        way: Way, pair: ValuePair
    ) async throws {
        let store = try await Self.store(pair.old)
        let (old, new) = (way.part(of: pair.old), way.part(of: pair.new))
        let reader = try way.follow(store)
        #expect(old.isSame(as: try await reader.next()))
        try await Self.set(pair.new, in: store)
        var waiting = reader.start()
        if new.isSame(as: old), !way.isOfWholeRecord {
            #expect(!waiting.isDone())
        } else {
            #expect(new.isSame(as: try await waiting.task.value))
            waiting = reader.start()
        }
        let last = DialReading(number: 7, text: "last")
        try await Self.set(last, in: store)
        #expect(way.part(of: last).isSame(as: try await waiting.task.value))
    }

    @Test(arguments: 0..<UInt64(TestLength.runs(20, long: 2_000)))
    func `random changes are delivered exactly where the encoding changes`(seed: UInt64) async throws {
        var random = TransactionRandom(seed: seed)
        let numbers: [Double] = [.nan, Double(bitPattern: 0x7FF8_0000_0000_0001), 0, -0.0, 1]
        let texts = ["\u{E9}", "e\u{301}", "e", ""]
        func sample() -> DialReading {
            DialReading(
                number: numbers.randomElement(using: &random) ?? 0, text: texts.randomElement(using: &random) ?? "")
        }
        let first = sample()
        let store = try await Self.store(first)
        for way in [Way.whole, .several, .record, .records, .updates] {
            try await Self.set(first, in: store)
            let reader = try way.follow(store)
            #expect(first.isSame(as: try await reader.next()))
            var (last, waiting) = (first, reader.start())
            for _ in 0..<30 {
                let next = sample()
                try await Self.set(next, in: store)
                if next.isSame(as: last) {
                    #expect(!waiting.isDone(), "seed \(seed), \(way)")
                } else {
                    #expect(next.isSame(as: try await waiting.task.value), "seed \(seed), \(way)")
                    waiting = reader.start()
                }
                last = next
            }
            waiting.task.cancel()
            #expect(try await waiting.task.value == nil)
        }
    }

    @Test func `a program's own value that does not equal itself is compared part by part`() async throws {
        let store = try await Self.store(DialReading(number: .nan))
        let values = store.values(of: FetchRequest(Dial.self)) { view, request in
            let records = try view.fetch(request)
            return Summary(mean: records[0].number, count: records.count)
        }
        var iterator = values.makeAsyncIterator()
        #expect(try await iterator.next()?.value.count == 1)
        try await Self.set(DialReading(number: .nan, text: "other"), in: store)
        #expect(try iterator.poll() == nil)
        try await store.write { tx in
            var second = Dial(DialReading())
            second.id = 2
            _ = try tx.insert(second)
        }
        #expect(try iterator.poll()?.value.count == 2)
    }
}
