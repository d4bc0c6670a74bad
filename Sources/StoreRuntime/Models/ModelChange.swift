public import StoreEngine

/// A change of a model, as an element of ``Model/changes``.
public struct ModelChange<R: Record>: Sendable {
    /// The kind of an element.
    public enum Kind: String, Sendable {
        /// The first element: the current record.
        case current
        /// Fields have changed.
        case updated
        /// The record was deleted. This is the last element.
        case deleted
    }

    /// The kind of this element.
    public let kind: Kind
    /// The record of the previous element; nil in the first element.
    public let old: R?
    /// The current record; nil after it was deleted.
    public let new: R?
    /// The fields in which the two records differ.
    public let changedFields: ChangedFields<R>
    /// The position of the step that made the change.
    public let position: Position
}

extension Model {
    /// Delivers the current record, and then its changes. The asynchronous sequence ends after the record was deleted, or when
    /// the store is closed.
    ///
    /// A slow subscriber receives several changes merged into one. Each iterator keeps the model alive.
    public var changes: ModelChanges<R> { ModelChanges(model: self) }
}

/// The changes of one record. See ``Model/changes``, and <doc:Concurrency#How-a-sequence-ends>.
public struct ModelChanges<R: Record>: AsyncSequence, Sendable {
    public typealias Element = ModelChange<R>
    public typealias Failure = Never

    let model: Model<R>

    /// Returns an iterator with its own subscription.
    public func makeAsyncIterator() -> Iterator {
        Iterator(watch: ModelWatch(model, fields: .all, line: Self.line))
    }

    /// The line of a subscription in reports.
    private static var line: (file: StaticString, line: UInt) { ("Model.changes", 0) }

    /// Waits for changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: ModelWatch<R>

        init(watch: ModelWatch<R>) { self.watch = watch }

        /// Waits for the next change, and returns it; nil at the end, and when the task is cancelled.
        public mutating func next() async -> ModelChange<R>? {
            await watch.versions.next().map { ModelChange($0) }
        }
    }
}

extension ModelChanges: ValueSource {
    package func supply(_ observer: any ValueObserver<ModelChange<R>>) -> any ValueSupply {
        ModelRelay(model, fields: .all, line: Self.line, observer) { ModelChange($0) }
    }
}

extension ModelChange {
    fileprivate init(_ step: VersionWatch.Step) {
        kind = step.new.isDeleted ? .deleted : step.old == nil ? .current : .updated
        old = step.old?.of(R.self).record
        new = step.new.isDeleted ? nil : step.new.of(R.self).record
        changedFields = ChangedFields(declared: step.changed)
        position = step.new.position
    }
}
