import ModelStore

/// The numbers from which on the service alerts.
struct HostThresholds: Equatable, Sendable {
    /// Processes with more memory than this, in MiB.
    var processMiB = 4_096.0
    /// File systems of which less than this is free, in percent.
    var mountFreePercent = 10.0

    /// The records that stand for the values, with their names.
    var records: [Threshold] {
        [
            Threshold(
                name: "mountFreePercent", value: mountFreePercent,
                meaning: "alert when less than this share of a file system is free"),
            Threshold(name: "processMiB", value: processMiB, meaning: "alert when a process has more memory than this"),
        ]
    }

    init() {}

    /// What records say. What none is about, or is no number, is as it is by itself.
    init(_ records: some Sequence<Threshold>) {
        for record in records where !record.value.isNaN {
            switch record.name {
            case "processMiB": processMiB = record.value
            case "mountFreePercent": mountFreePercent = record.value
            default: break
            }
        }
    }

    /// The processes with too much memory, those with most first.
    var largeProcesses: FetchRequest<HostProcess> {
        // As bytes, of which no machine has this many.
        let bytes = UInt64(min(max(processMiB, 0), Self.mostMiB) * 1_048_576)
        return HostProcess.where { $0.residentBytes > bytes }.order { $0.residentBytes.descending }
    }

    /// The file systems with too little free space, the fullest first. Those that cannot be written to are always full.
    var fullMounts: FetchRequest<Mount> {
        let percent = mountFreePercent
        return Mount.where {
            $0.totalBytes > 0 && $0.availableBytes * 100.0 < $0.totalBytes * percent && !$0.options.contains("ro")
        }.order { $0.availableBytes.ascending }
    }

    private static let mostMiB = 1e12
}
