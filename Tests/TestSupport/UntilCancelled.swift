/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (never, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    withExtendedLifetime(continuation) {}
}

/// A sleep that only the end of its task ends.
///
/// - Throws: `CancellationError`.
package func sleepUntilCancelled() async throws {
    await untilCancelled()
    throw CancellationError()
}
