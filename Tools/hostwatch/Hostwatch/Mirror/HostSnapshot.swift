/// This machine's state at one time, as it was read.
struct HostSnapshot: Sendable {
    var packages: [Package]
    var processes: [HostProcess]
    var mounts: [Mount]
    var interfaces: [NetworkInterface]
}

/// Reads all that hostwatch mirrors.
///
/// Kept across snapshots, because the reader of mounts remembers file systems that do not answer, and that of packages what it
/// read.
struct HostReader: HostSource {
    private let packages = PackageReader()
    private let processes = ProcessReader()
    private let mounts = MountReader()
    private let interfaces = NetworkReader()

    /// Reads the machine's state now.
    ///
    /// - Throws: ``HostReadError`` naming the file that could not be read.
    func read() throws(HostReadError) -> HostSnapshot {
        HostSnapshot(
            packages: try packages.read(), processes: try processes.read(), mounts: try mounts.read(),
            interfaces: try interfaces.read())
    }
}
