/// The size of one database.
package struct LMDBStatistics: Hashable, Sendable {
    package let pageSize: Int
    package let depth: Int
    package let branchPages: Int
    package let leafPages: Int
    package let overflowPages: Int
    package internal(set) var entries: Int

    /// Whether a file can have these pages and entries. LMDB gives the numbers of a damaged file as they are, and their sums
    /// overflow.
    var isPossible: Bool {
        guard pageSize > 0 else { return false }
        // Four of them can be added, in bytes.
        let most = Int.max / pageSize / 4
        return [branchPages, leafPages, overflowPages, entries].allSatisfy { 0...most ~= $0 }
    }

    /// The bytes that the database takes in the file.
    package var byteCount: Int { (branchPages + leafPages + overflowPages) * pageSize }
}
