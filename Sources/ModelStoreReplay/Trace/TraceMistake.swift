public import StoreEngine

extension StoreError.Code {
    /// A trace is cut off, was changed, or is no trace.
    public static let traceDamaged = StoreError.Code("traceDamaged")
    /// There is no file where a trace should be.
    public static let noSuchTrace = StoreError.Code("noSuchTrace")
    /// A trace was made by a newer library.
    public static let newerTrace = StoreError.Code("newerTrace")
    /// What is asked for cannot be recorded.
    public static let notRecordable = StoreError.Code("notRecordable")
    /// What a replay came to is not what was recorded.
    public static let replayDiverged = StoreError.Code("replayDiverged")
}

/// What is wrong with a line of a trace.
struct TraceMistake: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
