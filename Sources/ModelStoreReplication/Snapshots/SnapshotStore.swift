/// A place for snapshots of replicas, which all nodes can reach. A node that joins fetches the newest one.
public protocol SnapshotStore: Sendable {
    /// Stores a file under a name, durably.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - name: a name of letters, digits, points and hyphens.
    /// - Throws: ``/ModelStore/StoreError``: `diskFull`, `accessDenied`, `ioError`.
    func store(_ file: String, as name: String) async throws

    /// Copies a stored file to a new one.
    ///
    /// - Throws: ``/ModelStore/StoreError``: as ``store(_:as:)``, and if nothing has the name.
    func fetch(_ name: String, to file: String) async throws

    /// Returns the names of the stored files.
    func names() async throws -> [String]

    /// Removes a stored file.
    func remove(_ name: String) async throws
}

extension SnapshotStore where Self == DirectorySnapshots {
    /// A directory for snapshots, such as one on a network file system that all nodes mount.
    ///
    /// - Parameter path: the directory, which must exist.
    public static func directory(_ path: String) -> DirectorySnapshots { DirectorySnapshots(path) }
}
