import ModelStore

/// A report on a host, from fetch requests on its mirror.
struct HostReport: Equatable {
    /// A name with its size.
    struct Entry: Equatable {
        let name: String
        let kibibytes: Int
    }

    /// The largest sections of the archive by total package size, each with its largest package.
    let sections: [(section: Entry, largest: Entry)]
    /// The processes that use the most memory.
    let processes: [Entry]
    /// The file systems with less than a tenth of their space free, the fullest first, with the available space.
    let fullMounts: [Entry]

    private static let sectionCount = 5
    private static let processCount = 5

    /// Reads everything of a machine in one transaction, so that all parts of the report are at one position.
    init(_ transaction: borrowing some ReadableTransaction & ~Copyable, of host: String) throws {
        let own = Package.where { $0.host == host }
        // The packages with a known size, the largest first.
        let packages = own.where { $0.installedKiB != nil }.order { $0.installedKiB.descending }
        let memory = HostProcess.where { $0.host == host }.order { $0.residentBytes.descending }
        let nearlyFull = Mount.where { $0.host == host }
            .where { $0.totalBytes > 0 && $0.availableBytes * 10 < $0.totalBytes }
            .order { $0.availableBytes.ascending }
        let totals = try transaction.fetch(own.grouped(by: { $0.section }) { $0.installedKiB.sum })
        var sections: [(section: Entry, largest: Entry)] = []
        for total in totals.sorted(by: { $0.values > $1.values }).prefix(Self.sectionCount) {
            let request = packages.where { $0.section == total.key }
            guard let largest = try transaction.first(request) else { continue }
            sections.append(
                (
                    Entry(name: total.key, kibibytes: Int(total.values)),
                    Entry(name: largest.name, kibibytes: largest.installedKiB ?? 0)
                ))
        }
        self.sections = sections
        processes = try transaction.fetch(memory.limit(Self.processCount).fields { ($0.name, $0.residentBytes) })
            .map { Entry(name: $0.0, kibibytes: Int($0.1 / 1_024)) }
        fullMounts = try transaction.fetch(nearlyFull)
            .map { Entry(name: $0.target, kibibytes: Int(($0.availableBytes ?? 0) / 1_024)) }
    }

    static func == (left: HostReport, right: HostReport) -> Bool {
        left.sections.elementsEqual(right.sections, by: ==) && left.processes == right.processes
            && left.fullMounts == right.fullMounts
    }

    /// The report as text.
    var text: String {
        var lines = ["largest sections of packages, each with its largest package"]
        for (section, largest) in sections {
            let name = section.name.isEmpty ? "(none)" : section.name
            lines.append("  \(Self.size(section))  \(name)  (\(largest.name): \(Self.size(largest)))")
        }
        lines.append("processes with the most memory")
        lines += processes.map { "  \(Self.size($0))  \($0.name)" }
        lines.append("file systems with less than a tenth free")
        lines += fullMounts.isEmpty ? ["  none"] : fullMounts.map { "  \(Self.size($0))  \($0.name)" }
        return lines.joined(separator: "\n")
    }

    private static func size(_ entry: Entry) -> String { "\(entry.kibibytes / 1_024) MiB" }
}
