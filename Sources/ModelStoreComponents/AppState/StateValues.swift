/// The values of an element of a ``StateStore``. See ``StateStore/values(of:)``, and <doc:Concurrency#How-a-sequence-ends>.
public struct StateValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    let begin: @Sendable () -> Iterator

    /// Starts a separate subscription, which begins with the current value.
    public func makeAsyncIterator() -> Iterator { begin() }

    /// Waits for values.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: SubjectValues<UInt64>.Iterator
        let read: @Sendable () -> Value

        /// Returns the next value, or nil when the task is cancelled. A slow subscriber skips intermediate values, but always
        /// receives the newest.
        public mutating func next() async -> Value? { await changes.next().map { _ in read() } }
    }
}
