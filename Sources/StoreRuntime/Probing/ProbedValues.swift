/// A value that depends on records for one who looks whether there is another: a look finds a failure, too.
package struct ProbedValues<Value: Sendable>: AsyncSequence, Sendable {
    package typealias Element = LiveValue<Value>

    private let values: LiveValues<Value>

    package init(_ values: LiveValues<Value>) { self.values = values }

    package func makeAsyncIterator() -> Iterator { Iterator(values: values) }

    package struct Iterator: AsyncIteratorProtocol {
        private let values: LiveValues<Value>
        private let signal = Signal()
        private var source: (any LiveValueSource<Value>)?
        private var last: LiveValue<Value>?

        fileprivate init(values: LiveValues<Value>) { self.values = values }

        /// The next value; nil when the task is cancelled.
        package mutating func next() async throws -> LiveValue<Value>? {
            if source == nil, !Task.isCancelled { try await begin().settle() }
            while !Task.isCancelled {
                if let new = try poll() { return new }
                switch await signal.wait() {
                case .raised: continue
                case .cancelled: return nil
                case .ended: throw source?.failure ?? WriteQueue.closed
                }
            }
            return nil
        }

        /// The value now, without waiting for another; nil where it is the one that was given last.
        ///
        /// - Throws: why no more values come, once there is none left.
        package mutating func poll() throws -> LiveValue<Value>? {
            let source = try begin()
            let new = try source.current()
            if let last, values.areEqual(last.value, new.value) {
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
