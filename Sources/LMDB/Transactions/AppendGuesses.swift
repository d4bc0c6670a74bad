/// For each database a guess whether the next new key follows all others, from how the last ones went.
///
/// Records mostly come in the order of their ids: counted ones, or UUIDs that begin with the time. Appended, they fill
/// pages; put in the ordinary way they leave each page half empty behind them, since LMDB splits a full page in the middle,
/// and take longer. An append that fails costs a walk down to the last page, so after a few failures only every sixteenth
/// new key tries.
///
/// `@unchecked Sendable`: used only by the thread that holds the environment's write transaction.
@safe
final class AppendGuesses: @unchecked Sendable {
    /// New keys in a row that were not appended, by the database's handle.
    private var misses: [Int]

    init(maximumDatabases: Int) {
        // LMDB's own two databases have the first two handles.
        misses = Array(repeating: 0, count: maximumDatabases + 2)
    }

    /// Whether to try to append the next new key.
    @inline(__always)
    func isLikely(_ database: LMDBDatabase) -> Bool {
        let misses = misses[Int(database.handle)]
        return misses < 4 || misses & 15 == 0
    }

    /// Notes how a new key went.
    @inline(__always)
    func note(_ database: LMDBDatabase, wasAppended: Bool) {
        misses[Int(database.handle)] = wasAppended ? 0 : misses[Int(database.handle)] &+ 1
    }
}
