public import StoreEngine

extension StoreError.Code {
    /// The trace is cut off or was changed, or the file is not a trace.
    public static let traceDamaged = StoreError.Code("traceDamaged")
    /// The trace file does not exist.
    public static let noSuchTrace = StoreError.Code("noSuchTrace")
    /// A file exists where the trace is to be written.
    public static let traceExists = StoreError.Code("traceExists")
    /// A newer version of the library wrote the trace.
    public static let newerTrace = StoreError.Code("newerTrace")
    /// The requested recording is not possible.
    public static let notRecordable = StoreError.Code("notRecordable")
    /// The replay differs from the recording.
    public static let replayDiverged = StoreError.Code("replayDiverged")
}

/// An error in a line of a trace.
struct TraceMistake: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
