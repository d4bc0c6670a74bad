/// The values of an element of a ``StateStore``. See ``StateStore/values(of:)``, and <doc:Concurrency#How-a-sequence-ends>.
public struct StateValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    let begin: @Sendable () -> Iterator

    /// A subscription of its own, which begins with the value as it is.
    public func makeAsyncIterator() -> Iterator { begin() }

    /// Waits for values.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: SubjectValues<UInt64>.Iterator
        let read: @Sendable () -> Value

        /// The next value; nil when the task is cancelled. Who is slow misses values between, never the newest.
        public mutating func next() async -> Value? { await changes.next().map { _ in read() } }
    }
}
