public import StoreEngine

extension StoreError.Code {
    /// The log of the replicas cannot be reached. Nothing was committed.
    public static let logUnavailable = StoreError.Code("logUnavailable")
    /// The engine of the log has no room. Nothing was committed.
    public static let logFull = StoreError.Code("logFull")
    /// A change of record types would stop the running programs of other nodes. Nothing was committed.
    public static let membersTooOld = StoreError.Code("membersTooOld")
    /// The newest entry of the log was confirmed longer ago than the read allows.
    public static let replicaStale = StoreError.Code("replicaStale")
}
