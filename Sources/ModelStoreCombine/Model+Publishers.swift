#if OpenCombine
public import ModelStore

extension Model {
    /// A field's value now, before `sink` returns, and then each other one; finishes when the record is deleted or the store is
    /// closed.
    ///
    /// ```swift
    /// sensor.publisher(for: \.celsius).sink { print($0) }.store(in: &subscriptions)
    /// sensor.publisher(for: \.celsius).assign(to: \.text, on: label).store(in: &subscriptions)
    /// ```
    ///
    /// While a subscriber has no demand, values merge: the newest is next.
    ///
    /// - Parameter field: the field, such as `\.celsius`.
    public func publisher<V: SendableMetatype>(
        for field: KeyPath<R.Fields, Field<R, V>>
    ) -> SequencePublisher<ModelValues<R, V>> {
        values(of: field).publisher
    }

    /// Several fields together: all of a value are of one position.
    public func publisher<each V>(
        for fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) -> SequencePublisher<ModelValues<R, (repeat each V)>> {
        values(of: repeat each fields).publisher
    }

    /// The record as it is, before `sink` returns, and then its changes, the deletion the last; finishes then, or when the store
    /// is closed.
    ///
    /// While a subscriber has no demand, changes merge.
    public var changesPublisher: SequencePublisher<ModelChanges<R>> { changes.publisher }
}

extension ModelValues {
    /// The values as a publisher. See ``Model/publisher(for:)``.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}

extension ModelChanges {
    /// The changes as a publisher. See ``Model/changesPublisher``.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
}
#endif
