/// A small value beside the entries of a log, with which nodes agree on something other than the order of writes.
///
/// No safety of the log rests on a register. A register that vanishes too early or too late costs time only.
public struct LogRegister: Sendable, Hashable {
    /// The key. It consists of words with slashes between them.
    public let key: String
    /// The value, of at most 64 KiB.
    public let value: [UInt8]
    /// The version of the value. It is never 0, and differs from the versions of all other values that the key has had.
    public let version: UInt64

    /// Creates a register.
    public init(key: String, value: [UInt8], version: UInt64) {
        self.key = key
        self.value = value
        self.version = version
    }
}

/// The outcome of setting a register.
public enum RegisterOutcome: Sendable, Hashable {
    /// The register has the value, in this version; 0 if it was removed.
    case set(version: UInt64)
    /// The register had another version, and has not changed. Nil if there is none.
    case conflict(LogRegister?)
}
