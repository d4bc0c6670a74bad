/// A reservation of a directory: its environment is not open in this process, and this process cannot open it while this value
/// exists.
///
/// POSIX locks belong to the process: closing any descriptor of `lock.mdb` releases LMDB's locks on it. Code that opens that file
/// directly takes a reservation first.
package struct EnvironmentReservation: ~Copyable {
    private let directory: FileNode

    /// Throws `busy` if the environment is open in this process or already reserved.
    package init(of path: String) throws(LMDBError) {
        guard let node = SystemCalls.node(at: path) else {
            throw LMDBError(code: SystemCalls.lastCode, operation: "stat", path: path)
        }
        try EnvironmentRegistry.reserve(node, at: path)
        directory = node
    }

    deinit { EnvironmentRegistry.release(directory) }
}
