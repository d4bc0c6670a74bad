import StoreEngine
package import StoreRuntime

/// The values of a ``Subject``. See ``Subject/values``, and <doc:Concurrency#How-a-sequence-ends>.
public struct SubjectValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    /// A weak reference to the subject that a sequence and its iterators share.
    fileprivate final class Reference: Sendable {
        weak let subject: Subject<Value>?

        init(_ subject: Subject<Value>) { self.subject = subject }
    }

    private let reference: Reference
    package let areSame: (@Sendable (Value, Value) -> Bool)?

    init(_ subject: Subject<Value>) {
        reference = Reference(subject)
        areSame = nil
    }

    private init(_ reference: Reference, areSame: @escaping @Sendable (Value, Value) -> Bool) {
        self.reference = reference
        self.areSame = areSame
    }

    /// Returns the same sequence without elements that are the same as the one before. Such elements occur when a subscriber
    /// misses the values between them.
    public func removeDuplicates() -> SubjectValues where Value: Equatable {
        SubjectValues(reference, areSame: Sameness.wholeComparison() ?? { _, _ in false })
    }

    /// Starts a separate subscription, which begins with the current value.
    public func makeAsyncIterator() -> Iterator { Iterator(reference, areSame) }

    /// Waits for values.
    public struct Iterator: AsyncIteratorProtocol {
        private let storage: Storage
        private let areSame: (@Sendable (Value, Value) -> Bool)?
        private var last: Value?

        fileprivate init(_ reference: Reference, _ areSame: (@Sendable (Value, Value) -> Bool)?) {
            storage = Storage(reference)
            self.areSame = areSame
        }

        /// Returns the next value, or nil at the end and when the task is cancelled.
        public mutating func next() async -> Value? {
            while let value = await storage.next() {
                if let last, let areSame, areSame(last, value) { continue }
                if areSame != nil { last = value }
                return value
            }
            return nil
        }
    }

    /// The state of one iterator's subscription to the subject.
    private final class Storage {
        private let reference: Reference
        private let tap = SubjectTap<Value>()
        /// Whether there is a value that was not read before the subject was released.
        private var isOwed = false

        init(_ reference: Reference) {
            self.reference = reference
            tap.raise()
            if let subject = reference.subject { subject.add(tap) } else { tap.end(with: nil) }
        }

        deinit { reference.subject?.remove(tap) }

        func next() async -> Value? {
            while true {
                switch await tap.wait() {
                case .raised:
                    if let subject = reference.subject { return subject.snapshot.value }
                    // The last value arrives with the end, which may be reported only after this.
                    isOwed = true
                case .ended:
                    let last = tap.takeLast()
                    return isOwed ? last : nil
                case .cancelled:
                    return nil
                }
            }
        }
    }
}

extension SubjectValues: SourcedSequence {
    package var source: AnyObject? { reference.subject }
}

extension SubjectValues: ValueSource {
    package func supply(_ observer: any ValueObserver<Value>) -> any ValueSupply {
        SubjectRelay(reference.subject, observer)
    }
}
