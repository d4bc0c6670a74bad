#if OpenCombine
public import ModelStore

extension Model {
    /// Publishes the current value of a field before `sink` returns, and then every new value. Finishes when the record is
    /// deleted or the store is closed.
    ///
    /// ```swift
    /// sensor.publisher(for: \.celsius).sink { print($0) }.store(in: &subscriptions)
    /// sensor.publisher(for: \.celsius).assign(to: \.text, on: label).store(in: &subscriptions)
    /// ```
    ///
    /// A subscriber with demand receives every published value on the thread that makes steps: see ``ValuePublisher``. It must
    /// not wait for a write. Without demand, values merge: the subscriber receives the newest one next.
    ///
    /// - Parameter field: the field, such as `\.celsius`.
    public func publisher<V: SendableMetatype>(
        for field: KeyPath<R.Fields, Field<R, V>>
    ) -> ValuePublisher<ModelValues<R, V>> {
        values(of: field).publisher
    }

    /// Publishes several fields together. All fields of a published value have the same position.
    public func publisher<each V>(
        for fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) -> ValuePublisher<ModelValues<R, (repeat each V)>> {
        values(of: repeat each fields).publisher
    }

    /// Publishes the current record before `sink` returns, and then its changes. Finishes after the deletion of the record, which
    /// is the last change, or when the store is closed.
    ///
    /// A subscriber with demand receives the change of every step: see ``ValuePublisher``. Without demand, changes merge into
    /// one.
    public var changesPublisher: ValuePublisher<ModelChanges<R>> { changes.publisher }
}

extension ModelValues {
    /// The values as a publisher. See ``ModelStore/Model/publisher(for:)->ValuePublisher<ModelValues<R,V>>``.
    public var publisher: ValuePublisher<Self> { ValuePublisher(self) }
}

extension ModelChanges {
    /// The changes as a publisher. See ``Model/changesPublisher``.
    public var publisher: ValuePublisher<Self> { ValuePublisher(self) }
}
#endif
