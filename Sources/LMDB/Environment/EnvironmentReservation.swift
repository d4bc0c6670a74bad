/// A directory whose environment this process does not have open, and does not open while this value lives.
///
/// POSIX locks belong to the process: closing any descriptor of `lock.mdb` gives up those that LMDB holds on it. So who
/// opens that file by hand takes a reservation first.
package struct EnvironmentReservation: ~Copyable {
    private let directory: FileNode

    /// Fails with `busy` when the environment is open in this process or reserved already.
    package init(of path: String) throws(LMDBError) {
        guard let node = SystemCalls.node(at: path) else {
            throw LMDBError(code: SystemCalls.lastCode, operation: "stat", path: path)
        }
        try EnvironmentRegistry.reserve(node, at: path)
        directory = node
    }

    deinit { EnvironmentRegistry.release(directory) }
}
