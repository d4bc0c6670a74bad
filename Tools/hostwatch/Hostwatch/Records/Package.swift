import ModelStore

/// A Debian package that is installed on this machine.
///
/// Its identity is name and architecture: one name may be installed for several architectures.
@Record
struct Package {
    /// The package's name, such as `libc6`.
    @ID var name: String
    /// The architecture it was built for, or `all`.
    @ID var architecture: String
    /// The installed version.
    var version: String
    /// The archive's section, such as `libs`; empty when the package names none.
    @Indexed var section: String
    /// `required`, `important`, `standard`, `optional` or `extra`; empty when the package names none.
    var priority: String
    /// What it takes on disk in KiB, as its maker estimated; nil when the package does not say.
    var installedKiB: Int?
    /// What is wanted, whether something is wrong, and its state: `install ok installed`.
    var status: String
    /// Who maintains it.
    var maintainer: String?
    /// The first line of its description.
    var summary: String
}
