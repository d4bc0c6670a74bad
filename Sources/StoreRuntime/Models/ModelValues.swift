public import StoreEngine

extension Model {
    /// Delivers the current value of a field, and then each new value. The asynchronous sequence ends when the record is deleted
    /// or the store is closed.
    ///
    /// No two consecutive elements are the same; see <doc:ModelsAndLiveQueries#When-two-values-are-the-same>. A slow subscriber
    /// misses intermediate values, but always receives the newest one, also if the record is deleted before it takes that value.
    /// Each iterator keeps the model alive.
    ///
    /// - Parameters:
    ///   - field: the field, such as `\.celsius`.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    public func values<V: SendableMetatype>(
        of field: KeyPath<R.Fields, Field<R, V>>, file: StaticString = #fileID, line: UInt = #line
    ) -> ModelValues<R, V> {
        let token = FieldToken(R.fields[keyPath: field])
        return ModelValues(
            model: self, fields: FieldIndexSet([token.fieldIndex]), read: { token.value(in: $0) },
            comparisons: [.of(token)], line: (file, line))
    }

    /// Delivers the values of several fields together. All values of an element are at one position.
    public func values<each V>(
        of fields: repeat KeyPath<R.Fields, Field<R, each V>>, file: StaticString = #fileID, line: UInt = #line
    ) -> ModelValues<R, (repeat each V)> {
        let tokens = (repeat FieldToken(R.fields[keyPath: each fields]))
        var fieldIndexes = FieldIndexSet()
        var comparisons: [FieldComparison<R>] = []
        for token in repeat each tokens {
            fieldIndexes.insert(token.fieldIndex)
            comparisons.append(.of(token))
        }
        return ModelValues(
            model: self, fields: fieldIndexes, read: { record in (repeat (each tokens).value(in: record)) },
            comparisons: comparisons, line: (file, line))
    }
}

/// The values of one or several fields of a model. See ``Model/values(of:file:line:)->ModelValues<R,V>``, and
/// <doc:Concurrency#How-a-sequence-ends>.
public struct ModelValues<R: Record, Value>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    let model: Model<R>
    let fields: FieldIndexSet
    let read: @Sendable (R) -> Value
    /// One comparison for each of the fields.
    let comparisons: [FieldComparison<R>]
    /// The line that asked for the values.
    let line: (file: StaticString, line: UInt)

    /// Returns an iterator with its own subscription.
    public func makeAsyncIterator() -> Iterator { Iterator(values: self) }

    /// Waits for values.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: ModelWatch<R>
        private var reader: Reader

        init(values: ModelValues) {
            reader = Reader(values)
            watch = ModelWatch(values.model, fields: values.fields, line: values.line)
        }

        /// Waits for the next value, and returns it; nil at the end, and when the task is cancelled.
        public mutating func next() async -> Value? {
            while await watch.versions.advance() {
                if reader.take(watch.versions.last) { return reader.value }
            }
            reader.last = nil
            return nil
        }
    }

    /// Leaves out the versions whose values are the same as before.
    fileprivate struct Reader {
        private let values: ModelValues
        /// Whether the record was deleted before the subscription began.
        private let isLate: Bool
        /// The record of the last value.
        var last: R?

        init(_ values: ModelValues) {
            self.values = values
            isLate = values.model.publishedVersion.isDeleted
        }

        /// The value of the version that was taken last.
        var value: Value? { last.map(values.read) }

        /// Takes a version. A deletion comes with the last record, whose values may not have been delivered yet. Inlining this
        /// method would enlarge the frame that a waiting task holds.
        ///
        /// - Returns: whether to deliver the version: its values differ from the last ones.
        @inline(never)
        mutating func take(_ version: AnyModelVersion?) -> Bool {
            guard !isLate, let version else { return false }
            let record = version.of(R.self).record
            if let last, values.comparisons.allSatisfy({ $0.areSame(last, record) }) { return false }
            last = record
            return true
        }
    }
}

extension ModelValues: ValueSource {
    package func supply(_ observer: any ValueObserver<Value>) -> any ValueSupply {
        var reader = Reader(self)
        return ModelRelay(model, fields: fields, line: line, observer) { step in
            reader.take(step.new) ? reader.value : nil
        }
    }
}
