import ModelStore

/// A number from which on the service alerts. Its identity is its name.
///
/// Thresholds are records so that people change them while the service runs: `store-cli set Threshold processMiB value=512`.
@Record
struct Threshold {
    /// What it is for: one of ``HostThresholds``' names.
    @ID var name: String
    /// The number.
    var value: Double
    /// What it means, for people.
    var meaning: String
}
