/// Takes elements from an asynchronous sequence, one per question, in a task of its own.
final class ProbeReader<Element: Sendable>: Sendable {
    /// The answer of a sequence.
    enum Answer: Sendable {
        case element(Element)
        /// The sequence has no element now. Only an answer to `poll`.
        case nothing
        case end
        case failure(any Error)
    }

    private enum Question {
        /// Waits for the next element.
        case next
        /// Takes the next element if it is already there.
        case poll
    }

    private struct Request: Sendable {
        let question: Question
        let reply: Reply<Answer>
    }

    /// Whether the sequence can be polled.
    let canPoll: Bool
    private let requests: AsyncStream<Request>.Continuation
    private let task: Task<Void, Never>

    /// - Parameter poll: takes an element without waiting, if the sequence supports that.
    init<S: AsyncSequence & Sendable>(
        _ sequence: S, poll: (@Sendable (inout S.AsyncIterator) throws -> Element?)? = nil
    ) where S.Element == Element {
        let (questions, requests) = AsyncStream<Request>.makeStream()
        self.requests = requests
        canPoll = poll != nil
        task = Task {
            var iterator = sequence.makeAsyncIterator()
            for await request in questions {
                do {
                    switch request.question {
                    case .next: request.reply.give(try await iterator.next().map { .element($0) } ?? .end)
                    case .poll: request.reply.give(try poll?(&iterator).map { .element($0) } ?? .nothing)
                    }
                } catch {
                    request.reply.give(.failure(error))
                }
            }
        }
    }

    deinit { task.cancel() }

    /// Asks for the next element.
    func next() -> Reply<Answer> { ask(.next) }

    /// Asks for an element that is already there.
    func poll() -> Reply<Answer> { ask(.poll) }

    private func ask(_ question: Question) -> Reply<Answer> {
        let reply = Reply<Answer>()
        requests.yield(Request(question: question, reply: reply))
        return reply
    }
}
