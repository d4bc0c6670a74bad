/// Predicts for each database whether the next new key is greater than all others, from the last new keys.
///
/// Records mostly arrive in the order of their ids: counters, or UUIDs that begin with the time. Appended keys fill pages and are
/// fast. An ordinary put takes longer and leaves each page half empty, because LMDB splits a full page in the middle. An append
/// that fails costs a descent to the last page, so after a few failures only every sixteenth new key tries one.
///
/// `@unchecked Sendable`: only the thread that holds the environment's write transaction uses it.
@safe
final class AppendGuesses: @unchecked Sendable {
    /// The number of new keys in a row that were not appended, by the database's handle.
    private var misses: [Int]

    init(maximumDatabases: Int) {
        // The first two handles belong to LMDB's own two databases.
        misses = Array(repeating: 0, count: maximumDatabases + 2)
    }

    /// Returns whether to try to append the next new key.
    @inline(__always)
    func isLikely(_ database: LMDBDatabase) -> Bool {
        let misses = misses[Int(database.handle)]
        return misses < 4 || misses & 15 == 0
    }

    /// Notes whether a new key was appended.
    @inline(__always)
    func note(_ database: LMDBDatabase, wasAppended: Bool) {
        misses[Int(database.handle)] = wasAppended ? 0 : misses[Int(database.handle)] &+ 1
    }
}
