public import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
public import Testing

/// Asserts what an asynchronous sequence delivers: element for element, in order, and nothing else.
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
/// The probe subscribes with its first expectation and takes one element for each: a test says when it takes, and so which writes a
/// live query's update merges. Two writes with no expectation between them come as one update, as to any subscriber who is slow; the
/// same test sees the same updates, however fast the machine is.
///
/// An expectation waits for its element up to a limit, which only a test that fails comes to. After an element that did not come,
/// later expectations do not wait for theirs.
///
/// *Nothing*: a write returns when its step is shown to all live results of the process. So after it has returned, a live query
/// either has an element for it or never will, and ``expectNothing(sourceLocation:)`` looks once and waits for nothing. Of what
/// another process writes, wait for the position: ``expectNothing(until:in:sourceLocation:)``. Other sequences cannot be asked what
/// they have; let something happen that leads to an element, and expect that one, which proves that none came before it.
///
/// A probe belongs to one task at a time.
///
/// - `state` is protected by its mutex.
public final class UpdateProbe<Element: Sendable>: Sendable {
    private struct State {
        /// The element that did not come in time; it may still come.
        var late: Reply<ProbeReader<Element>.Answer>?
        var takenCount = 0
        var hasEnded = false
        /// Whether the test was told that the sequence has failed.
        var hasFailed = false
        var isFinished = false
    }

    private let reader: ProbeReader<Element>
    let limit: Duration
    private let describe: @Sendable (Element) -> String
    private let madeAt: SourceLocation
    private let state = Mutex(State())

    // MARK: Making

    /// A probe of any sequence.
    ///
    /// - Parameters:
    ///   - sequence: what to assert. It is iterated once.
    ///   - limit: how long an expectation waits.
    ///   - sourceLocation: where the probe is made.
    public convenience init<S: AsyncSequence & Sendable>(
        _ sequence: S, limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
    ) where S.Element == Element {
        self.init(ProbeReader(sequence), limit, sourceLocation) { "\($0)" }
    }

    /// A probe of a live query.
    ///
    /// - Parameters:
    ///   - updates: what to assert.
    ///   - limit: how long an expectation waits.
    ///   - sourceLocation: where the probe is made.
    public convenience init<R: Record>(
        _ updates: LiveUpdates<R>, limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
    ) where Element == LiveUpdate<R> {
        self.init(ProbeReader(updates) { try $0.poll() }, limit, sourceLocation) { update in
            "\(MarbleGroup(update) { "\($0.recordID)" }) at \(update.position.sequence)"
        }
    }

    /// A probe of a value that depends on records.
    ///
    /// - Parameters:
    ///   - values: what to assert.
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

    /// Takes the next element and has it checked.
    ///
    /// The test fails when none comes; `check` is not called then.
    ///
    /// - Parameters:
    ///   - sourceLocation: where the element is expected.
    ///   - check: expects something of the element.
    /// - Throws: what `check` throws.
    public func expect(
        sourceLocation: SourceLocation = #_sourceLocation, _ check: (Element) throws -> Void
    ) async rethrows {
        guard let element = await take(sourceLocation) else { return }
        try check(element)
    }

    /// Takes the next element, which is to be this one.
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
    /// - Throws: ``MissingElement`` when none comes, of which the test has been told then.
    public func next(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Element {
        guard let element = await take(sourceLocation) else { throw MissingElement(sourceLocation: sourceLocation) }
        return element
    }

    /// Fails the test if the sequence has an element, or has ended or failed.
    ///
    /// Sound for live queries and live values, and what this process has written; see ``UpdateProbe``.
    ///
    /// - Parameter sourceLocation: where nothing is expected.
    public func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) async {
        guard reader.canPoll else {
            return fail(
                "a sequence of this kind cannot say that it has nothing; expect an element after", sourceLocation)
        }
        switch await polled() {
        case .nothing: return
        case nil: fail("the sequence has not said within \(limit) whether it has an element", sourceLocation)
        case .element(let element): fail("nothing was expected, and there is \(describe(element))", sourceLocation)
        case .end: fail("nothing was expected, and the sequence has ended", sourceLocation)
        case .failure(let error): fail("nothing was expected, and the sequence failed: \(error)", sourceLocation)
        }
    }

    /// Fails the test if the sequence has an element once a position is shown, which another process may have written.
    ///
    /// - Parameters:
    ///   - position: the position.
    ///   - store: the store that it is one of.
    ///   - sourceLocation: where nothing is expected.
    /// - Throws: as ``Store/wait(for:)``.
    public func expectNothing(
        until position: Position, in store: Store, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await store.untilShown(position)
        await expectNothing(sourceLocation: sourceLocation)
    }

    /// Waits for the end of the sequence, and fails the test if an element or an error comes instead.
    ///
    /// - Parameter sourceLocation: where the end is expected.
    public func expectEnd(sourceLocation: SourceLocation = #_sourceLocation) async {
        switch await answer() {
        case .end: return
        case nil, .nothing: fail("the sequence has not ended within \(limit)", sourceLocation)
        case .element(let element): fail("the end was expected, and \(describe(element)) came", sourceLocation)
        case .failure(let error): fail("the end was expected, and the sequence failed: \(error)", sourceLocation)
        }
    }

    /// Ends the probe, and fails the test with what came and nobody has expected: elements, and a failure that no expectation has told of.
    ///
    /// A sequence that cannot say that it has nothing has to have ended: what it gives until then was not expected. Tests that have
    /// the trait ``Testing/Trait/exhaustive`` do this by themselves.
    ///
    /// - Parameter sourceLocation: where the end is.
    public func finish(sourceLocation: SourceLocation = #_sourceLocation) async {
        await finish(sourceLocation) { _ in true }
    }

    /// The same after the test's body, with which its store may have gone.
    func finish(atTestEnd sourceLocation: SourceLocation) async {
        await finish(sourceLocation) { ($0 as? StoreError)?.code != .closed }
    }

    private func finish(_ sourceLocation: SourceLocation, counts: (any Error) -> Bool) async {
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isFirst else { return }
        let wasTold = state.withLock { $0.hasFailed }
        var rest: [Element] = []
        var last = await left()
        while case .element(let element) = last {
            rest.append(element)
            last = await left()
        }
        if !rest.isEmpty { failUnexpected(rest, sourceLocation) }
        switch last {
        case .failure(let error) where !wasTold && counts(error):
            fail("the sequence failed, and nobody has expected it: \(error)", sourceLocation)
        case nil where reader.canPoll:
            fail("the sequence has not said within \(limit) whether it has an element", sourceLocation)
        case nil: fail("the sequence has not ended, so that nobody knows what it has left", sourceLocation)
        case .element, .nothing, .end, .failure: return
        }
    }

    /// What is left of the sequence.
    private func left() async -> ProbeReader<Element>.Answer? { reader.canPoll ? await polled() : await answer() }

    private func failUnexpected(_ elements: [Element], _ sourceLocation: SourceLocation) {
        let list = elements.map { "\n  " + describe($0) }.joined()
        fail("came, and was not expected, at the probe's end:\(list)", sourceLocation)
    }

    // MARK: Taking

    /// The next element, or nil with an issue that says why there is none.
    private func take(_ sourceLocation: SourceLocation) async -> Element? {
        let number = state.withLock { state in
            state.takenCount += 1
            return state.takenCount
        }
        switch await answer() {
        case .element(let element): return element
        case .end: fail("element \(number) was expected, and the sequence has ended", sourceLocation)
        case .failure(let error):
            fail("element \(number) was expected, and the sequence failed: \(error)", sourceLocation)
        case nil, .nothing: fail("element \(number) was expected, and did not come", sourceLocation)
        }
        return nil
    }

    /// Takes what comes next; nil where that does not come.
    func answer() async -> ProbeReader<Element>.Answer? {
        let (reply, isLate) = state.withLock { state in
            defer { state.late = nil }
            return (state.late, state.hasEnded)
        }
        if isLate { return .end }
        let asked = reply ?? reader.next()
        // Who was waited for in vain once is not waited for again.
        let found = reply == nil ? await asked.value(within: limit) : asked.value
        state.withLock { state in
            if found == nil { state.late = asked }
            if case .end = found { state.hasEnded = true }
            if case .failure = found { state.hasFailed = true }
        }
        return found
    }

    /// What there is now.
    private func polled() async -> ProbeReader<Element>.Answer? {
        let found: ProbeReader<Element>.Answer?
        // A reader that waits cannot be asked; what it waits for is what there is.
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

/// No element came that was expected; the test has been told so at the place.
public struct MissingElement: Error, CustomStringConvertible {
    /// Where it was expected.
    public let sourceLocation: SourceLocation

    public var description: String { "the element expected at line \(sourceLocation.line) did not come" }
}
