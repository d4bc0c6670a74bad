import ModelStore

/// A limit at which the service raises an alert. Its name identifies it.
///
/// Thresholds are records, so you can change them while the service runs: `store-cli set Threshold processMiB value=512`.
@Record
struct Threshold {
    /// The name, which is one of ``HostThresholds``' names.
    @ID var name: String
    /// The limit.
    var value: Double
    /// A description for the user.
    var meaning: String
}
