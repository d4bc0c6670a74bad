/// Identifies the data file of an environment, whatever path leads to it.
package struct LMDBFileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// When the file was created, if the file system records it. This distinguishes a file from a later one with the same inode.
    package let birthNanoseconds: Int?
}
