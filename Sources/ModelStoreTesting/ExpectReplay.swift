import Foundation
public import ModelStoreReplay
public import Testing

/// Fails a test whose trace is replayed to something else than what was recorded.
///
/// ```swift
/// @Test func `a day of traffic does what it did`() async throws {
///     let options = ReplayOptions(actions: ActionCatalog(MoveSensor.self), records: Sensor.self)
///     try await expectReplay("Fixtures/day.trace", options: options) { path in
///         // With RECORD=1 in the environment: makes the trace anew.
///         let recorder = try await Recorder(store, to: path)
///         …
///         try await recorder.finish()
///     }
/// }
/// ```
///
/// - Parameters:
///   - trace: the file; where its path is not absolute, beside the file of the test.
///   - options: what is done again, and what counts as the same.
///   - record: makes the trace when the environment has `RECORD=1`, before it is replayed.
/// - Returns: what the replay came to; nil where it diverged.
/// - Throws: what `record` throws; `StoreError` when the trace cannot be read.
@discardableResult
public func expectReplay(
    _ trace: String, options: ReplayOptions = ReplayOptions(), filePath: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation, record: ((_ path: String) async throws -> Void)? = nil
) async throws -> ReplaySummary? {
    try await expectReplay(
        trace, options: options, filePath: filePath, sourceLocation: sourceLocation,
        environment: ProcessInfo.processInfo.environment, record: record)
}

/// The same in another environment.
func expectReplay(
    _ trace: String, options: ReplayOptions, filePath: String, sourceLocation: SourceLocation,
    environment: [String: String], record: ((_ path: String) async throws -> Void)?
) async throws -> ReplaySummary? {
    let path = URL(filePath: trace, relativeTo: URL(filePath: filePath).deletingLastPathComponent()).path
    if environment["RECORD"] == "1", let record { try await record(path) }
    do {
        return try await Replayer.replay(path, options: options)
    } catch let divergence as ReplayDivergence {
        Issue.record("\(divergence)", sourceLocation: sourceLocation)
        return nil
    }
}
