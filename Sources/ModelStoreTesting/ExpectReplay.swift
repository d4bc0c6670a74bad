import Foundation
public import ModelStoreReplay
import StoreEngine
public import Testing

/// Fails a test if the replay of its trace diverges from the recording.
///
/// ```swift
/// @Test func `a day of traffic does what it did`() async throws {
///     let options = ReplayOptions(actions: ActionCatalog(MoveSensor.self), records: Sensor.self)
///     try await expectReplay("Fixtures/day.trace", options: options) { path in
///         // With RECORD=1 in the environment: creates the trace.
///         let recorder = try await Recorder(store, to: path)
///         …
///         try await recorder.finish()
///     }
/// }
/// ```
///
/// - Parameters:
///   - trace: the file. A relative path is relative to the test's source file.
///   - options: how to replay, and how to compare.
///   - filePath: the test's source file.
///   - sourceLocation: where a divergence is reported.
///   - record: creates the trace before the replay, if the environment contains `RECORD=1`. It receives the path of a new file,
///     which then replaces the trace.
/// - Returns: the summary of the replay; nil if it diverged.
/// - Throws: the errors of `record`; `StoreError` if the trace cannot be read.
@discardableResult
public func expectReplay(
    _ trace: String, options: ReplayOptions = ReplayOptions(), filePath: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation, record: ((_ path: String) async throws -> Void)? = nil
) async throws -> ReplaySummary? {
    try await expectReplay(
        trace, options: options, filePath: filePath, sourceLocation: sourceLocation,
        environment: ProcessInfo.processInfo.environment, record: record)
}

/// The same with a given environment.
func expectReplay(
    _ trace: String, options: ReplayOptions, filePath: String, sourceLocation: SourceLocation,
    environment: [String: String], record: ((_ path: String) async throws -> Void)?
) async throws -> ReplaySummary? {
    let path = URL(filePath: trace, relativeTo: URL(filePath: filePath).deletingLastPathComponent()).path
    if environment["RECORD"] == "1", let record {
        let new = path + ".new-" + UUID().uuidString
        do {
            try await record(new)
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            throw error
        }
        guard unsafe rename(new, path) == 0 else {
            throw StoreError(
                .ioError, "the trace cannot be moved to \(path)", remedy: "check the access rights of its directory")
        }
    }
    do {
        return try await Replayer.replay(path, options: options)
    } catch let divergence as ReplayDivergence {
        Issue.record("\(divergence)", sourceLocation: sourceLocation)
        return nil
    }
}
