/// Which file an environment's data is in, whatever path leads to it.
package struct LMDBFileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// When the file was made, where the file system keeps it: it tells a file from a later one with the same inode.
    package let birthNanoseconds: Int?
}
