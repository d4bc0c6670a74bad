import ModelStore
public import Testing

/// Fails a test that does not expect all updates that its probes receive: see ``Testing/Trait/exhaustive``.
public struct ExhaustiveTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether the trait applies to each test of a suite.
    public var isRecursive: Bool { true }

    /// Runs a test, and ends the probes that it made.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // The trait also runs for suites. Their tests have watches of their own.
        guard testCase != nil else { return try await function() }
        let watch = ProbeWatch()
        try await ProbeWatch.$current.withValue(watch) { try await function() }
        await watch.finish(sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == ExhaustiveTrait {
    /// Ends each ``UpdateProbe`` that a test makes when the test ends. A probe fails the test if it received elements that the
    /// test did not expect.
    ///
    /// ```swift
    /// @Test(.exhaustive) func `a closed window is told of once`() async throws { … }
    /// ```
    ///
    /// On a suite, the trait checks each of its tests. It does not check a test that throws, because that test has already
    /// failed.
    public static var exhaustive: ExhaustiveTrait { ExhaustiveTrait() }
}
