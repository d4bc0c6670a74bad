/// One change set, assembled from its fragments in the order of the walk.
struct FeedAssembly {
    let sequence: UInt64
    /// Whether a fragment is missing or damaged.
    var isDamaged = false
    /// Whether the last fragment was added.
    private(set) var isEnded = false
    private(set) var nextFragment: UInt32 = 0
    /// The stored hash of the newest fragment.
    private(set) var hash: UInt64?
    /// The hash computed from the newest fragment's bytes, where it differs from the stored hash.
    private var computed: UInt64?
    /// The bytes of the change set's stream so far.
    private(set) var stream: [UInt8] = []

    init(sequence: UInt64) { self.sequence = sequence }

    /// Adds the next fragment.
    ///
    /// - Returns: the problem with the fragment, or nil.
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
        // In a damaged fragment, either the hash or the bytes may be intact. The next hash is therefore tried with both.
        let isSeededOtherwise = computed.map { fragment.computedHash(seed: $0) == fragment.storedHash } ?? false
        hash = fragment.storedHash
        stream.append(contentsOf: fragment.stream.array())
        guard found == fragment.storedHash || isSeededOtherwise else {
            computed = found
            isDamaged = true
            return (.checksum, "the hash of the fragment does not match its bytes")
        }
        computed = nil
        return nil
    }
}
