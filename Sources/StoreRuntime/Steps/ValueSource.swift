/// A source that passes every value to an observer, when the value is set or published.
///
/// Sequences are sources too. An iterator gives a slow reader only the newest value. An observer misses none while it is ready.
package protocol ValueSource<Element>: Sendable {
    associatedtype Element

    /// Whether two values are the same, so that the observer does not need the second one; nil if the source itself leaves out
    /// such values.
    var areSame: (@Sendable (Element, Element) -> Bool)? { get }

    /// Returns a supply for an observer. It begins with the current value, when it is resumed for the first time.
    func supply(_ observer: any ValueObserver<Element>) -> any ValueSupply
}

extension ValueSource {
    package var areSame: (@Sendable (Element, Element) -> Bool)? { nil }
}

/// Passes the values of one source to one observer.
package protocol ValueSupply: Sendable {
    /// Passes on the newest value, if the observer was not ready for it and is now.
    func resume()

    /// Ends the supply.
    func cancel()
}

/// Receives the values of a source.
///
/// The source calls ``keep(_:)`` in the order of the values, with its lock held, and ``deliver()`` after it has released the
/// lock. So the order of the values is kept, and a subscriber's code runs under no lock.
package protocol ValueObserver<Element>: AnyObject, Sendable {
    associatedtype Element

    /// Whether the observer takes another value. While it does not, only the newest value counts.
    var isReady: Bool { get }

    /// Keeps a value for delivery. It runs no code of a subscriber, and releases nothing.
    func keep(_ value: Element)

    /// Delivers the values that are kept.
    func deliver()

    /// Called once, when no more values come.
    func ended()
}

/// The elements of a sequence for a closure that receives each of them.
///
/// If the sequence is a ``ValueSource``, every value since the creation waits here until the closure has received it. The memory
/// for them grows with the values that a slow closure lags behind. The closure receives the elements of other sequences as these
/// deliver them.
package struct Reception<S: AsyncSequence & Sendable>: Sendable {
    /// Sendable, because a value passes from the thread that keeps it to the task that receives it.
    fileprivate struct Passed: @unchecked Sendable {
        let value: S.Element
    }

    private let sequence: S
    private let everyValue: AsyncStream<Passed>?

    package init(_ sequence: S) {
        self.sequence = sequence
        everyValue = (sequence as? any ValueSource<S.Element>).map { Self.everyValue(of: $0) }
    }

    private static func everyValue(of source: any ValueSource<S.Element>) -> AsyncStream<Passed> {
        let (stream, continuation) = AsyncStream<Passed>.makeStream()
        let supply = source.supply(Keeper(continuation))
        // Called when the task is cancelled, and when the stream is released.
        continuation.onTermination = { _ in supply.cancel() }
        supply.resume()
        return stream
    }

    /// Keeps the values in the buffer of a stream.
    private final class Keeper: ValueObserver {
        private let continuation: AsyncStream<Passed>.Continuation

        init(_ continuation: AsyncStream<Passed>.Continuation) { self.continuation = continuation }

        var isReady: Bool { true }

        func keep(_ value: S.Element) { continuation.yield(Passed(value: value)) }

        func deliver() {}

        func ended() { continuation.finish() }
    }

    /// Calls a closure with each element, until the end or until the task is cancelled.
    package nonisolated(nonsending) func run(_ body: (S.Element) async throws -> Void) async throws {
        guard let everyValue else {
            for try await element in sequence { try await body(element) }
            return
        }
        for await passed in everyValue {
            // The stream delivers its buffered values after a cancellation too.
            if Task.isCancelled { return }
            try await body(passed.value)
        }
    }
}
