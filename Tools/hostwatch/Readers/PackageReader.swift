/// Reads the installed packages from dpkg's status file.
struct PackageReader {
    /// Where dpkg keeps its status.
    var statusPath = "/var/lib/dpkg/status"

    /// The installed packages. dpkg replaces its file as a whole, so this is one consistent state.
    func read() throws(HostReadError) -> [Package] {
        try Self.parse(try SystemDirectory.bytes(at: statusPath), path: statusPath)
    }

    /// The installed packages that a status file lists, in its order.
    static func parse(_ bytes: [UInt8], path: String) throws(HostReadError) -> [Package] {
        var packages: [Package] = []
        for stanza in try Deb822Stanza.parse(bytes, path: path) {
            guard let name = stanza["Package"] else {
                throw HostReadError(
                    path: path, reason: "a paragraph names no package: \(stanza.fields.first?.name ?? "")")
            }
            let status = stanza["Status"] ?? ""
            guard isInstalled(status) else { continue }
            let description = stanza["Description"] ?? ""
            packages.append(
                Package(
                    name: name, architecture: stanza["Architecture"] ?? "", version: stanza["Version"] ?? "",
                    section: stanza["Section"] ?? "", priority: stanza["Priority"] ?? "",
                    installedKiB: stanza["Installed-Size"].flatMap { Int($0) }, status: status,
                    maintainer: stanza["Maintainer"],
                    summary: String(description.prefix { $0 != "\n" })))
        }
        return packages
    }

    /// Whether a status such as `install ok installed` says that the package is there and set up. One that waits for
    /// triggers is: while dpkg works, packages pass through that state, and they are not gone meanwhile.
    private static func isInstalled(_ status: String) -> Bool {
        ["installed", "triggers-pending", "triggers-awaited"].contains(status.split(separator: " ").last)
    }
}
