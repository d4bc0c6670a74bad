/// The machine's state at one time.
struct HostSnapshot: Sendable {
    var packages: [Package]
    var processes: [HostProcess]
    var mounts: [Mount]
    var interfaces: [NetworkInterface]
}

/// Reads everything that hostwatch mirrors.
///
/// Keep one instance for all snapshots: the mount reader remembers file systems that do not answer, and the package reader
/// remembers its last result.
struct HostReader: HostSource {
    private let packages = PackageReader()
    private let processes = ProcessReader()
    private let mounts = MountReader()
    private let interfaces = NetworkReader()

    /// Reads the machine's current state.
    ///
    /// - Throws: ``HostReadError`` naming the file that could not be read.
    func read() throws(HostReadError) -> HostSnapshot {
        HostSnapshot(
            packages: try packages.read(), processes: try processes.read(), mounts: try mounts.read(),
            interfaces: try interfaces.read())
    }
}
