import ModelStore

/// The limits at which the service raises alerts.
struct HostThresholds: Equatable, Sendable {
    /// The most memory of a process without an alert, in MiB.
    var processMiB = 4_096.0
    /// The least free space of a file system without an alert, in percent.
    var mountFreePercent = 10.0

    /// The records for these limits, with their names.
    var records: [Threshold] {
        [
            Threshold(
                name: "mountFreePercent", value: mountFreePercent,
                meaning: "alert when less than this share of a file system is free"),
            Threshold(name: "processMiB", value: processMiB, meaning: "alert when a process has more memory than this"),
        ]
    }

    init() {}

    /// Reads the limits from records. A limit keeps its default if no record has it, or if its value is not a number.
    init(_ records: some Sequence<Threshold>) {
        for record in records where !record.value.isNaN {
            switch record.name {
            case "processMiB": processMiB = record.value
            case "mountFreePercent": mountFreePercent = record.value
            default: break
            }
        }
    }

    /// The processes of a machine with too much memory, the largest first.
    func largeProcesses(of host: String) -> FetchRequest<HostProcess> {
        // In bytes, capped at a size that no machine has.
        let bytes = UInt64(min(max(processMiB, 0), Self.mostMiB) * 1_048_576)
        return HostProcess.where { $0.residentBytes > bytes && $0.host == host }.order { $0.residentBytes.descending }
    }

    /// The file systems of a machine with too little free space, the fullest first. Read-only file systems are left out,
    /// because they are always full.
    func fullMounts(of host: String) -> FetchRequest<Mount> {
        let percent = mountFreePercent
        return Mount.where { $0.host == host }.where {
            $0.totalBytes > 0 && $0.availableBytes * 100.0 < $0.totalBytes * percent && !$0.options.contains("ro")
        }.order { $0.availableBytes.ascending }
    }

    private static let mostMiB = 1e12
}
