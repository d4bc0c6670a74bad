import Synchronization

/// A guess whether the next new key of a database follows all others, from how the last ones went.
///
/// Records mostly come in the order of their ids: counted ones, or UUIDs that begin with the time. Appended, they fill
/// pages; put in the ordinary way they leave each page half empty behind them, since LMDB splits a full page in the middle,
/// and take longer. An append that fails costs a walk down to the last page, so after a few failures only every sixteenth
/// new key tries.
struct AppendGuess: ~Copyable {
    // Atomic for the compiler: only the writer thread looks.
    private let misses = Atomic<Int>(0)

    /// Whether to try to append the next new key.
    var isLikely: Bool {
        let misses = misses.load(ordering: .relaxed)
        return misses < 4 || misses.isMultiple(of: 16)
    }

    /// Notes how a new key went: whether it was appended.
    func note(wasAppended: Bool) {
        if wasAppended {
            misses.store(0, ordering: .relaxed)
        } else {
            misses.wrappingAdd(1, ordering: .relaxed)
        }
    }
}
