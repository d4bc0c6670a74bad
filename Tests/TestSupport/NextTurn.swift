/// Lets other tasks run, in a loop that waits for something. Once the test's time is over, it throws. Otherwise a loop whose
/// condition never holds would keep a thread busy, and with it all tests after it.
package func nextTurn() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    await Task.yield()
}
