import ModelStore
import Testing

@testable import Hostwatch

@Suite("Report") struct ReportTests {
    private static func package(_ name: String, _ section: String, _ kibibytes: Int?) -> Package {
        Package(
            name: name, architecture: "all", version: "1", section: section, priority: "", installedKiB: kibibytes,
            status: "install ok installed", maintainer: nil, summary: "")
    }

    @Test func `The largest come first, and only what is nearly full is told`() throws {
        let store = try Store.temporary(records: Package.self, HostProcess.self, Mount.self)
        let packages = [
            Self.package("a", "libs", 10), Self.package("b", "libs", 700), Self.package("c", "doc", 600),
            Self.package("d", "doc", nil), Self.package("e", "games", nil), Self.package("f", "games", 50),
        ]
        let mounts = [
            MirrorTests.mount("/", free: 50), MirrorTests.mount("/full", free: 9),
            MirrorTests.mount("/unknown", free: nil),
            MirrorTests.mount("/fuller", free: 0), MirrorTests.mount("/tenth", free: 10),
        ]
        _ = try store.write { tx in
            for package in packages { try tx.insert(package) }
            for mount in mounts { try tx.insert(mount) }
        }
        let report = try store.read { try HostReport($0, of: "") }
        #expect(report.sections.map(\.section.name) == ["libs", "doc", "games"])
        #expect(report.sections.map(\.section.kibibytes) == [710, 600, 50])
        #expect(report.sections.map(\.largest.name) == ["b", "c", "f"])
        #expect(report.processes.isEmpty)
        #expect(report.fullMounts.map(\.name) == ["/fuller", "/full"])
        #expect(report.text.contains("none") == false)
    }

    @Test func `This machine has sections and processes to tell of`() throws {
        let directory = try TemporaryFiles(["readme": ""])
        let mirror = try HostMirror(directory: directory.path + "/store", host: "web")
        defer { mirror.close() }
        let snapshot = try HostReader().read()
        _ = try mirror.apply(snapshot)
        let (_, report) = try #require(try mirror.reports().first)
        let sizes = snapshot.processes.map { Int($0.residentBytes / 1_024) }.sorted(by: >).prefix(5)
        #expect(report.processes.map(\.kibibytes) == Array(sizes))
        let total = Dictionary(grouping: snapshot.packages, by: \.section)
            .mapValues { $0.compactMap(\.installedKiB).reduce(0, +) }
        #expect(report.sections.map(\.section.kibibytes) == Array(total.values.sorted(by: >).prefix(5)))
    }
}
