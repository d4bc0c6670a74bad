public import StoreEngine

/// A value that depends on records, at a position.
public struct LiveValue<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// The position at which the value was computed.
    public let position: Position
}

/// An asynchronous sequence of a value that depends on records: the current value, and then each new value.
///
/// A slow subscriber misses intermediate values, but always receives the newest one. The sequence does not end by itself;
/// <doc:Concurrency#How-a-sequence-ends> lists when it ends. The iterator throws the errors of the closure that computes the
/// value, and ``StoreError``. After an error, the next call tries again.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = LiveValue<Value>

    let makeSource: @Sendable (Signal) throws -> any LiveValueSource<Value>
    let areSame: Sameness.Comparison<Value>

    /// Returns an iterator with its own subscription.
    public func makeAsyncIterator() -> Iterator { Iterator(values: self) }

    /// Waits for values.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: LiveValues
        private let signal = Signal()
        private var source: (any LiveValueSource<Value>)?
        private var last: LiveValue<Value>?
        private var end = CancelledEnd()

        init(values: LiveValues) { self.values = values }

        /// Waits for the next value, and returns it; nil when the task is cancelled.
        public mutating func next() async throws -> LiveValue<Value>? {
            if end.hasCome { return nil }
            guard let source, last != nil else {
                try await begin().settle()
                return try poll()
            }
            while true {
                let wake = await signal.wait()
                if wake == .cancelled { return nil }
                if wake == .ended { throw source.failure ?? WriteQueue.closed }
                do {
                    if let new = try poll() { return new }
                } catch {
                    // The next call after an error must not wait for another change.
                    signal.raise()
                    throw error
                }
            }
        }

        /// Returns the current value without waiting for a new one; nil if it is the same as the last delivered value.
        ///
        /// - Throws: the errors of computing the value. Once all values are delivered, the reason why no more values come.
        package mutating func poll() throws -> LiveValue<Value>? {
            let source = try begin()
            let new = try source.current()
            if let last, values.areSame(last.value, new.value) {
                if let failure = source.failure { throw failure }
                return nil
            }
            last = new
            return new
        }

        private mutating func begin() throws -> any LiveValueSource<Value> {
            if let source { return source }
            let new = try values.makeSource(signal)
            source = new
            return new
        }
    }
}

/// The source of a live value. It belongs to one iterator, and raises the iterator's signal whenever the value may have changed.
protocol LiveValueSource<Value>: AnyObject {
    associatedtype Value: Sendable

    /// Waits until the first state is published.
    func settle() async
    func current() throws -> LiveValue<Value>
    /// Why no more values come; nil while they do.
    var failure: StoreError? { get }
}

/// The number of records that match a request, kept by counting.
final class LiveCountSource<Value: Sendable>: LiveValueSource {
    private let steps: LiveSteps
    private let value: @Sendable (Int) -> Value

    init(_ use: LiveUse, _ signal: Signal, value: @escaping @Sendable (Int) -> Value) {
        steps = LiveSteps(use, signal)
        self.value = value
    }

    func settle() async { await steps.settle() }

    func current() -> LiveValue<Value> {
        let shown = steps.take()
        return LiveValue(value: value(shown.count), position: shown.position)
    }

    var failure: StoreError? { steps.failure }
}
