internal import CLMDB

/// A version of liblmdb.
///
/// The layout of data files, the lock file and the lock inside it depends only on the first two numbers of the version.
package struct LMDBLibrary: Hashable, Sendable, CustomStringConvertible {
    package let major: Int32
    package let minor: Int32
    package let patch: Int32

    package var description: String { "\(major).\(minor).\(patch)" }

    package init(major: Int32, minor: Int32, patch: Int32) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// The version of the header that this program was compiled with. The shim rejects all versions except 0.9.
    package static let compiled = LMDBLibrary(
        major: MDB_VERSION_MAJOR, minor: MDB_VERSION_MINOR, patch: MDB_VERSION_PATCH)

    /// The version of the library that this program runs with.
    package static let running = Calls.libraryVersion()

    /// Throws if this program cannot run with this version, because it was compiled with another layout.
    package func requireLayout(of compiled: LMDBLibrary, path: String) throws(LMDBError) {
        guard (major, minor) != (compiled.major, compiled.minor) else { return }
        throw LMDBError(
            .otherLibrary, operation: "mdb_version", path: path,
            detail:
                "the program was compiled with liblmdb \(compiled) and runs with \(self), which has another file format",
            remedy:
                "install liblmdb \(compiled.major).\(compiled.minor), or compile the program with the installed version"
        )
    }
}
