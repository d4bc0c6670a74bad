import ModelStore
import StoreRuntime
public import Testing

/// Fails a test that leaves something of a store, or of an ownership registry, alive: see ``Testing/Trait/leakFree``.
public struct LeakFreeTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether each test of a suite is looked at.
    public var isRecursive: Bool { true }

    /// How long tasks that were cancelled may take to end, before what they have counts as left.
    var patience = Duration.seconds(60)

    /// Runs a test, and looks at what it leaves.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let watch = OwnershipWatch()
        try await OwnershipWatch.$current.withValue(watch) { try await function() }
        // Suites are entered too; their tests have watches of their own.
        guard testCase != nil else { return }
        let deadline = ContinuousClock.now + patience
        for registry in watch.all {
            registry.releaseIdle()
            while !registry.report().isEmpty, ContinuousClock.now < deadline {
                // Not a yield: tasks that are to end should have the threads.
                try? await Task.sleep(for: .milliseconds(1))
                // What they had may rest only now.
                registry.releaseIdle()
            }
            let report = registry.report()
            if !report.isEmpty {
                Issue.record("the test has left this alive:\n\(report)", sourceLocation: test.sourceLocation)
            }
        }
    }
}

extension Trait where Self == LeakFreeTrait {
    /// Fails a test at whose end a store or a registry that it made has models, other pinned objects, open scopes or leaks.
    ///
    /// ```swift
    /// @Test(.leakFree) func `a closed tab releases its models`() async throws { … }
    /// ```
    ///
    /// It goes for a suite too, each of whose tests is looked at.
    public static var leakFree: LeakFreeTrait { LeakFreeTrait() }
}
