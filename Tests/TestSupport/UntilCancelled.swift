/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (never, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    withExtendedLifetime(continuation) {}
}

/// Sleeps until the task is cancelled.
///
/// - Throws: `CancellationError`.
package func sleepUntilCancelled() async throws {
    await untilCancelled()
    throw CancellationError()
}
