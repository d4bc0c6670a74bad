import ModelStore

/// A record of something on one machine.
protocol HostRecord: Record {
    /// The name of the machine, which is the first part of the id.
    var host: String { get set }
}
