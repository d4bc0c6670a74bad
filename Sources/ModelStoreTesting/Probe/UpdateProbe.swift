public import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
public import Testing

/// Asserts the elements that an asynchronous sequence delivers: one by one, in order, and no others.
///
/// ```swift
/// let probe = UpdateProbe(store.updates(of: hot))
/// try await probe.expect(marbles: "(ab)") { $0.id }
///
/// try await store.write { tx in try tx.insert(Sensor(id: "c", celsius: 31)) }
/// try await probe.expect { update in #expect(update.changes.inserts.map(\.record.id) == ["c"]) }
///
/// try await store.write { tx in try tx.insert(Sensor(id: "cold", celsius: 2)) }
/// await probe.expectNothing()
/// await probe.finish()
/// ```
///
/// The probe subscribes with its first expectation, and each expectation takes one element. The test therefore decides when an
/// element is taken, and so which writes a live query merges into one update. Two writes with no expectation between them arrive
/// as one update, as for any slow subscriber. The same test sees the same updates on a fast and on a slow machine.
///
/// An expectation waits for its element up to a limit, which only a failing test reaches. After a missing element, later
/// expectations do not wait.
///
/// One task at a time can use a probe.
///
/// ### Expect nothing
///
/// A write returns when its step is published to all live results of the process. After it has returned, a live query either has
/// an element for it or never will, so ``expectNothing(sourceLocation:)`` checks once, without waiting. For writes of another
/// process, wait for the position: ``expectNothing(until:in:sourceLocation:)``. Other sequences cannot be polled. For them, cause
/// an element and expect it: this proves that no element came before it.
///
/// - `state` is protected by its mutex.
public final class UpdateProbe<Element: Sendable>: Sendable {
    private struct State {
        /// The reply to a request whose element did not arrive in time; it may still arrive.
        var late: Reply<ProbeReader<Element>.Answer>?
        var takenCount = 0
        var hasEnded = false
        /// Whether the probe has reported the failure of the sequence to the test.
        var hasFailed = false
        var isFinished = false
    }

    private let reader: ProbeReader<Element>
    let limit: Duration
    private let describe: @Sendable (Element) -> String
    private let madeAt: SourceLocation
    private let state = Mutex(State())

    // MARK: Making

    /// Creates a probe of any sequence.
    ///
    /// - Parameters:
    ///   - sequence: the sequence to check. The probe iterates it once.
    ///   - limit: how long an expectation waits.
    ///   - sourceLocation: where the probe is made.
    public convenience init<S: AsyncSequence & Sendable>(
        _ sequence: S, limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
    ) where S.Element == Element {
        self.init(ProbeReader(sequence), limit, sourceLocation) { "\($0)" }
    }

    /// Creates a probe of a live query.
    ///
    /// - Parameters:
    ///   - updates: the updates to check.
    ///   - limit: how long an expectation waits.
    ///   - sourceLocation: where the probe is made.
    public convenience init<R: Record>(
        _ updates: LiveUpdates<R>, limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
    ) where Element == LiveUpdate<R> {
        self.init(ProbeReader(updates) { try $0.poll() }, limit, sourceLocation) { update in
            "\(MarbleGroup(update) { "\($0.recordID)" }) at \(update.position.sequence)"
        }
    }

    /// Creates a probe of a value that depends on records.
    ///
    /// - Parameters:
    ///   - values: the values to check.
    ///   - limit: how long an expectation waits.
    ///   - sourceLocation: where the probe is made.
    public convenience init<V>(
        _ values: LiveValues<V>, limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
    ) where Element == LiveValue<V> {
        self.init(ProbeReader(values) { try $0.poll() }, limit, sourceLocation) { value in
            "\(value.value) at \(value.position.sequence)"
        }
    }

    private init(
        _ reader: ProbeReader<Element>, _ limit: Duration, _ madeAt: SourceLocation,
        _ describe: @escaping @Sendable (Element) -> String
    ) {
        self.reader = reader
        self.limit = limit
        self.madeAt = madeAt
        self.describe = describe
        ProbeWatch.current?.add(self)
    }

    // MARK: Expecting

    /// Takes the next element and passes it to `check`.
    ///
    /// If no element arrives, the test fails, and `check` is not called.
    ///
    /// - Parameters:
    ///   - sourceLocation: where the element is expected.
    ///   - check: checks the element.
    /// - Throws: the errors of `check`.
    public func expect(
        sourceLocation: SourceLocation = #_sourceLocation, _ check: (Element) throws -> Void
    ) async rethrows {
        guard let element = await take(sourceLocation) else { return }
        try check(element)
    }

    /// Takes the next element, and fails the test if it differs from the expected one.
    ///
    /// - Parameters:
    ///   - expected: the element.
    ///   - sourceLocation: where it is expected.
    public func expect(_ expected: Element, sourceLocation: SourceLocation = #_sourceLocation) async
    where Element: Equatable {
        await expect(sourceLocation: sourceLocation) { element in
            #expect(element == expected, sourceLocation: sourceLocation)
        }
    }

    /// Takes the next element.
    ///
    /// - Parameter sourceLocation: where the element is expected.
    /// - Throws: ``MissingElement`` if no element arrives. The test has then already failed.
    public func next(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Element {
        guard let element = await take(sourceLocation) else { throw MissingElement(sourceLocation: sourceLocation) }
        return element
    }

    /// Fails the test if the sequence has an element, or has ended or failed.
    ///
    /// Reliable for live queries and live values, and for the writes of this process; see ``UpdateProbe``.
    ///
    /// - Parameter sourceLocation: where nothing is expected.
    public func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) async {
        guard reader.canPoll else {
            return fail(
                "a sequence of this kind cannot report that it has no element; expect the next element instead",
                sourceLocation)
        }
        switch await polled() {
        case .nothing: return
        case nil: fail("the sequence did not report within \(limit) whether it has an element", sourceLocation)
        case .element(let element): fail("no element was expected, but there is \(describe(element))", sourceLocation)
        case .end: fail("no element was expected, but the sequence has ended", sourceLocation)
        case .failure(let error): fail("no element was expected, but the sequence failed: \(error)", sourceLocation)
        }
    }

    /// Fails the test if the sequence has an element once a position, which may come from another process, is published.
    ///
    /// - Parameters:
    ///   - position: the position.
    ///   - store: the store that the position belongs to.
    ///   - sourceLocation: where nothing is expected.
    /// - Throws: the errors of ``/ModelStore/Store/wait(for:)``.
    public func expectNothing(
        until position: Position, in store: Store, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await store.waitUntilPublished(position)
        await expectNothing(sourceLocation: sourceLocation)
    }

    /// Waits for the end of the sequence, and fails the test if an element or an error comes instead.
    ///
    /// - Parameter sourceLocation: where the end is expected.
    public func expectEnd(sourceLocation: SourceLocation = #_sourceLocation) async {
        switch await answer() {
        case .end: return
        case nil, .nothing: fail("the sequence did not end within \(limit)", sourceLocation)
        case .element(let element): fail("the end was expected, but \(describe(element)) arrived", sourceLocation)
        case .failure(let error): fail("the end was expected, but the sequence failed: \(error)", sourceLocation)
        }
    }

    /// Ends the probe, and fails the test if the sequence delivered elements, or failed, and no expectation reported it.
    ///
    /// A sequence that cannot be polled must have ended: its remaining elements count as unexpected. For tests with the trait
    /// ``Testing/Trait/exhaustive``, this happens automatically.
    ///
    /// - Parameter sourceLocation: where the end is.
    public func finish(sourceLocation: SourceLocation = #_sourceLocation) async {
        await finish(sourceLocation) { _ in true }
    }

    /// The same at the end of the test, when its store may already be closed.
    func finish(atTestEnd sourceLocation: SourceLocation) async {
        await finish(sourceLocation) { ($0 as? StoreError)?.code != .closed }
    }

    private func finish(_ sourceLocation: SourceLocation, counts: (any Error) -> Bool) async {
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isFirst else { return }
        let hadFailed = state.withLock { $0.hasFailed }
        var rest: [Element] = []
        var last = await left()
        while case .element(let element) = last {
            rest.append(element)
            last = await left()
        }
        if !rest.isEmpty { failUnexpected(rest, sourceLocation) }
        switch last {
        case .failure(let error) where !hadFailed && counts(error):
            fail("the sequence failed, and the test did not expect it: \(error)", sourceLocation)
        case nil where reader.canPoll:
            fail("the sequence did not report within \(limit) whether it has an element", sourceLocation)
        case nil: fail("the sequence has not ended, so its remaining elements are unknown", sourceLocation)
        case .element, .nothing, .end, .failure: return
        }
    }

    /// Returns the rest of the sequence, one answer at a time.
    private func left() async -> ProbeReader<Element>.Answer? { reader.canPoll ? await polled() : await answer() }

    private func failUnexpected(_ elements: [Element], _ sourceLocation: SourceLocation) {
        let list = elements.map { "\n  " + describe($0) }.joined()
        fail("unexpected elements at the probe's end:\(list)", sourceLocation)
    }

    // MARK: Taking

    /// Returns the next element; nil with an issue that states the reason.
    private func take(_ sourceLocation: SourceLocation) async -> Element? {
        let number = state.withLock { state in
            state.takenCount += 1
            return state.takenCount
        }
        switch await answer() {
        case .element(let element): return element
        case .end: fail("element \(number) was expected, but the sequence has ended", sourceLocation)
        case .failure(let error):
            fail("element \(number) was expected, but the sequence failed: \(error)", sourceLocation)
        case nil, .nothing: fail("element \(number) was expected, but did not arrive", sourceLocation)
        }
        return nil
    }

    /// Waits for the next answer; nil if it does not arrive in time.
    func answer() async -> ProbeReader<Element>.Answer? {
        let (reply, isLate) = state.withLock { state in
            defer { state.late = nil }
            return (state.late, state.hasEnded)
        }
        if isLate { return .end }
        let asked = reply ?? reader.next()
        // After a wait that failed, the probe does not wait again for the same answer.
        let found = reply == nil ? await asked.value(within: limit) : asked.value
        state.withLock { state in
            if found == nil { state.late = asked }
            if case .end = found { state.hasEnded = true }
            if case .failure = found { state.hasFailed = true }
        }
        return found
    }

    /// Returns the answer that is there now.
    private func polled() async -> ProbeReader<Element>.Answer? {
        let found: ProbeReader<Element>.Answer?
        // A reader that waits cannot be asked again. The pending answer is the current one.
        if let late = state.withLock({ $0.late }) {
            guard let answer = late.value else { return .nothing }
            state.withLock { $0.late = nil }
            found = answer
        } else {
            found = await reader.poll().value(within: limit)
        }
        if case .failure = found { state.withLock { $0.hasFailed = true } }
        return found
    }

    /// Fails the test.
    func fail(_ message: String, _ sourceLocation: SourceLocation) {
        let text = "\(message) (the probe of line \(madeAt.line))"
        if let log = ProbeLog.current { return log.note(text) }
        Issue.record("\(text)", sourceLocation: sourceLocation)
    }
}

/// An expected element did not arrive. The test has failed at that expectation.
public struct MissingElement: Error, CustomStringConvertible {
    /// Where the element was expected.
    public let sourceLocation: SourceLocation

    public var description: String { "the element expected at line \(sourceLocation.line) did not arrive" }
}
