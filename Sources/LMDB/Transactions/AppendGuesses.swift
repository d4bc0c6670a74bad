/// Predicts for each database whether the next new key is greater than all others, from the last new keys.
///
/// Records mostly arrive in the order of their ids: counters, or UUIDs that begin with the time. Appended keys fill pages and are
/// fast. An ordinary put takes longer and leaves each page half empty, because LMDB splits a full page in the middle. An append
/// that fails costs a descent to the last page, so after a few failures only every sixteenth new key tries one.
///
/// `@unchecked Sendable`: only the thread that holds the environment's write transaction uses it.
@safe
final class AppendGuesses: @unchecked Sendable {
    /// The number of new keys in a row that were not appended, by the database's handle. Databases behind the end have had none.
    private var misses: [Int] = []

    /// Returns whether to try to append the next new key.
    @inline(__always)
    func isLikely(_ database: LMDBDatabase) -> Bool {
        let index = Int(database.handle)
        guard index < misses.count else { return true }
        return misses[index] < 4 || misses[index] & 15 == 0
    }

    /// Notes whether a new key was appended.
    @inline(__always)
    func note(_ database: LMDBDatabase, wasAppended: Bool) {
        let index = Int(database.handle)
        while misses.count <= index { misses.append(0) }
        misses[index] = wasAppended ? 0 : misses[index] &+ 1
    }
}
