public import StoreEngine

extension StoreError.Code {
    /// The log of the replicas cannot be reached. Nothing was committed.
    public static let logUnavailable = StoreError.Code("logUnavailable")
    /// The engine of the log has no room. Nothing was committed.
    public static let logFull = StoreError.Code("logFull")
    /// The newest entry of the log was confirmed longer ago than the read allows.
    public static let replicaStale = StoreError.Code("replicaStale")
}
