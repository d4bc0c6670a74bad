import ModelStore

/// A Debian package that is installed on a machine.
///
/// The name and the architecture identify it there: one name may be installed for several architectures.
@Record
struct Package: HostRecord {
    /// The name of the machine. ``HostMirror`` sets it.
    @ID var host: String = ""
    /// The package's name, such as `libc6`.
    @ID var name: String
    /// The architecture of the package, or `all`.
    @ID var architecture: String
    /// The installed version.
    var version: String
    /// The archive's section, such as `libs`; empty if the package names none.
    @Indexed var section: String
    /// `required`, `important`, `standard`, `optional` or `extra`; empty if the package names none.
    var priority: String
    /// The maintainer's estimate of the size on disk, in KiB; nil if the package does not contain one.
    var installedKiB: Int?
    /// The wanted state, the error state and the current state: `install ok installed`.
    var status: String
    /// The maintainer of the package.
    var maintainer: String?
    /// The first line of the description.
    var summary: String
}
