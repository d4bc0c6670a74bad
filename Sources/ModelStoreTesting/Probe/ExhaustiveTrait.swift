import ModelStore
public import Testing

/// Fails a test that leaves updates unexpected: see ``Testing/Trait/exhaustive``.
public struct ExhaustiveTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether each test of a suite is looked at.
    public var isRecursive: Bool { true }

    /// Runs a test, and ends the probes that it has made.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // Suites are entered too; their tests have watches of their own.
        guard testCase != nil else { return try await function() }
        let watch = ProbeWatch()
        try await ProbeWatch.$current.withValue(watch) { try await function() }
        await watch.finish(sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == ExhaustiveTrait {
    /// Ends each ``UpdateProbe`` that a test makes when the test ends, which fails with the elements that came and were not expected.
    ///
    /// ```swift
    /// @Test(.exhaustive) func `a closed window is told of once`() async throws { … }
    /// ```
    ///
    /// It goes for a suite too, each of whose tests is looked at. A test that throws is not looked at: it has failed already.
    public static var exhaustive: ExhaustiveTrait { ExhaustiveTrait() }
}
