public import StoreEngine

extension Model {
    /// A field's value now, and then each other one: an asynchronous sequence that ends when the record is deleted or the store
    /// is closed.
    ///
    /// Who is slow misses values between, never the newest. Each iterator keeps the model alive.
    ///
    /// - Parameter field: the field, such as `\.celsius`.
    public func values<V: SendableMetatype>(
        of field: KeyPath<R.Fields, Field<R, V>>, file: StaticString = #fileID, line: UInt = #line
    ) -> ModelValues<R, V> {
        let token = FieldToken(R.fields[keyPath: field])
        return ModelValues(
            model: self, fields: PlaceSet([token.place]), read: { token.value(in: $0) }, areEqual: nil,
            line: (file, line))
    }

    /// The same for a type whose values can be compared: no two elements that follow each other are equal.
    public func values<V: Equatable & SendableMetatype>(
        of field: KeyPath<R.Fields, Field<R, V>>, file: StaticString = #fileID, line: UInt = #line
    ) -> ModelValues<R, V> {
        let token = FieldToken(R.fields[keyPath: field])
        return ModelValues(
            model: self, fields: PlaceSet([token.place]), read: { token.value(in: $0) }, areEqual: { $0 == $1 },
            line: (file, line))
    }

    /// Several fields together: all values of an element are of one position.
    public func values<each V>(
        of fields: repeat KeyPath<R.Fields, Field<R, each V>>, file: StaticString = #fileID, line: UInt = #line
    ) -> ModelValues<R, (repeat each V)> {
        let tokens = (repeat FieldToken(R.fields[keyPath: each fields]))
        var places = PlaceSet()
        repeat places.insert((each tokens).place)
        return ModelValues(
            model: self, fields: places, read: { record in (repeat (each tokens).value(in: record)) }, areEqual: nil,
            line: (file, line))
    }
}

/// The values of one or several fields of a model. See ``Model/values(of:)``.
public struct ModelValues<R: Record, Value>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    let model: Model<R>
    let fields: PlaceSet
    let read: @Sendable (R) -> Value
    let areEqual: (@Sendable (Value, Value) -> Bool)?
    /// Where they are asked for.
    let line: (file: StaticString, line: UInt)

    /// A subscription of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(values: self) }

    /// Waits for values.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: ModelValues
        private let watch: ModelWatch<R>
        private var last: Value?

        init(values: ModelValues) {
            self.values = values
            watch = ModelWatch(values.model, fields: values.fields, line: values.line)
        }

        /// The next value; nil at the end, and when the task is cancelled.
        public mutating func next() async -> Value? {
            while let step = await watch.versions.next() {
                if step.new.isDeleted { return nil }
                let value = values.read(step.new.of(R.self).record)
                if let last, let areEqual = values.areEqual, areEqual(last, value) { continue }
                last = value
                return value
            }
            return nil
        }
    }
}
