internal import CLMDB

/// A version of liblmdb.
///
/// Data files, the lock file and the lock in it have one layout in all versions with the same first two numbers.
package struct LMDBLibrary: Hashable, Sendable, CustomStringConvertible {
    package let major: Int32
    package let minor: Int32
    package let patch: Int32

    package var description: String { "\(major).\(minor).\(patch)" }

    package init(major: Int32, minor: Int32, patch: Int32) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// The version of the header that this program was compiled with. The header's shim refuses other than 0.9.
    package static let compiled = LMDBLibrary(
        major: MDB_VERSION_MAJOR, minor: MDB_VERSION_MINOR, patch: MDB_VERSION_PATCH)

    /// The version of the library that this program runs with.
    package static let running = Calls.libraryVersion()

    /// Fails unless this program can run with a version.
    package func requireLayout(of compiled: LMDBLibrary, path: String) throws(LMDBError) {
        guard (major, minor) != (compiled.major, compiled.minor) else { return }
        throw LMDBError(
            .otherLibrary, operation: "mdb_version", path: path,
            detail: "the program was compiled with liblmdb \(compiled) and runs with \(self), whose files differ",
            remedy: "install liblmdb \(compiled.major).\(compiled.minor), or compile the program with the newer one")
    }
}
