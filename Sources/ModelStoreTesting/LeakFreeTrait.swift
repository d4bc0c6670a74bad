import ModelStore
import StoreRuntime
public import Testing

/// Fails a test that leaves objects of a store, or of an ownership registry, alive: see ``Testing/Trait/leakFree``.
public struct LeakFreeTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether the trait applies to each test of a suite.
    public var isRecursive: Bool { true }

    /// How long the trait waits for cancelled tasks to end, before their objects count as leaks.
    var patience = Duration.seconds(60)

    /// Runs a test, and checks which objects it leaves alive.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let watch = OwnershipWatch()
        try await OwnershipWatch.$current.withValue(watch) { try await function() }
        // The trait also runs for suites. Their tests have watches of their own.
        guard testCase != nil else { return }
        let deadline = ContinuousClock.now + patience
        for registry in watch.all {
            registry.releaseIdle()
            while !registry.report().isEmpty, ContinuousClock.now < deadline {
                // A sleep, not a yield: it leaves the threads to the tasks that have to end.
                try? await Task.sleep(for: .milliseconds(1))
                // The objects of the ended tasks may have become idle only now.
                registry.releaseIdle()
            }
            let report = registry.report()
            if !report.isEmpty {
                Issue.record("the test left objects alive:\n\(report)", sourceLocation: test.sourceLocation)
            }
        }
    }
}

extension Trait where Self == LeakFreeTrait {
    /// Fails a test that leaves live objects in a store or a registry that it made: models, other pinned objects, open scopes or
    /// leaks.
    ///
    /// ```swift
    /// @Test(.leakFree) func `a closed tab releases its models`() async throws { … }
    /// ```
    ///
    /// On a suite, the trait checks each of its tests.
    public static var leakFree: LeakFreeTrait { LeakFreeTrait() }
}
