public import StoreEngine

/// What a model has become, as an element of ``Model/changes``.
public struct ModelChange<R: Record>: Sendable {
    /// Why there is an element.
    public enum Kind: String, Sendable {
        /// It is the first one: the record as it is.
        case current
        /// Fields have changed.
        case updated
        /// The record was deleted. Nothing comes after this.
        case deleted
    }

    /// Why there is an element.
    public let kind: Kind
    /// The record in the element before; nil in the first.
    public let old: R?
    /// The record now; nil once it was deleted.
    public let new: R?
    /// What differs between the two.
    public let changedFields: ChangedFields<R>
    /// The position of the step that made the change.
    public let position: Position
}

extension Model {
    /// The record as it is, and then its changes: an asynchronous sequence that ends after the record was deleted, or when the
    /// store is closed.
    ///
    /// Who is slow gets several changes as one. Each iterator keeps the model alive.
    public var changes: ModelChanges<R> { ModelChanges(model: self) }
}

/// The changes of one record. See ``Model/changes``, and <doc:Concurrency#How-a-sequence-ends>.
public struct ModelChanges<R: Record>: AsyncSequence, Sendable {
    public typealias Element = ModelChange<R>
    public typealias Failure = Never

    let model: Model<R>

    /// A subscription of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(watch: ModelWatch(model, fields: .all, line: ("Model.changes", 0)))
    }

    /// Waits for changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: ModelWatch<R>

        init(watch: ModelWatch<R>) { self.watch = watch }

        /// The next change; nil at the end, and when the task is cancelled.
        public mutating func next() async -> ModelChange<R>? {
            guard let step = await watch.versions.next() else { return nil }
            let kind: ModelChange<R>.Kind = step.new.isDeleted ? .deleted : step.old == nil ? .current : .updated
            return ModelChange(
                kind: kind, old: step.old?.of(R.self).record,
                new: step.new.isDeleted ? nil : step.new.of(R.self).record,
                changedFields: ChangedFields(declared: step.changed), position: step.new.position)
        }
    }
}
