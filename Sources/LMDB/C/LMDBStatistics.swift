/// The size of one database.
package struct LMDBStatistics: Hashable, Sendable {
    package let pageSize: Int
    package let depth: Int
    package let branchPages: Int
    package let leafPages: Int
    package let overflowPages: Int
    package internal(set) var entries: Int

    /// The bytes that the database takes in the file.
    package var byteCount: Int { (branchPages + leafPages + overflowPages) * pageSize }
}
