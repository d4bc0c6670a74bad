/// The fragments of one change set, as they come.
struct FeedAssembly {
    let sequence: UInt64
    /// Whether a fragment is missing or not as it was written.
    var isDamaged = false
    /// Whether the last fragment has come.
    private(set) var isEnded = false
    private(set) var nextFragment: UInt32 = 0
    /// The hash of the newest fragment as stored.
    private(set) var hash: UInt64?
    /// What the newest fragment's bytes give, where that differs from the stored hash.
    private var computed: UInt64?
    /// The stream of the change set.
    private(set) var stream: [UInt8] = []

    init(sequence: UInt64) { self.sequence = sequence }

    /// Adds the next fragment.
    ///
    /// - Returns: what is wrong with it.
    mutating func add(_ fragment: FeedFragment) -> (kind: VerifyFinding.Kind, message: String)? {
        defer { nextFragment = fragment.fragment &+ 1 }
        if isEnded {
            isDamaged = true
            return (.unknown, "the fragment comes after the last one of its change set")
        }
        isEnded = fragment.isLast
        guard fragment.fragment == nextFragment else {
            isDamaged = true
            hash = fragment.storedHash
            computed = nil
            return (.missing, "the fragment comes after a gap: \(nextFragment) is missing")
        }
        let seed = fragment.fragment == 0 ? try? FeedFragment.previousHash(inFirst: fragment.stream) : hash
        let found = fragment.computedHash(seed: seed ?? 0)
        // After a damaged fragment either its stored hash or its bytes may be what was written.
        let isSeededOtherwise = computed.map { fragment.computedHash(seed: $0) == fragment.storedHash } ?? false
        hash = fragment.storedHash
        stream.append(contentsOf: fragment.stream.array())
        guard found == fragment.storedHash || isSeededOtherwise else {
            computed = found
            isDamaged = true
            return (.checksum, "the hash of the fragment does not fit its bytes")
        }
        computed = nil
        return nil
    }
}
