/// Checks the fragments of one entry of the feed while they are read: each must be the next one and match the previous hash.
struct FragmentChain: Sendable {
    /// The entry's sequence number.
    let sequence: UInt64
    /// The hash of the newest fragment, or of the previous entry before the first fragment. Nil before the first fragment of an
    /// entry that is read alone: that fragment contains the previous hash.
    private(set) var hash: UInt64?
    /// Whether the last fragment was taken.
    private(set) var isComplete = false
    private var next: UInt32 = 0

    init(sequence: UInt64, after hash: UInt64?) {
        self.sequence = sequence
        self.hash = hash
    }

    /// The key of the next fragment.
    var nextKey: [UInt8] {
        var key = ByteWriter(capacity: 16)
        key.append(bigEndian: sequence)
        key.append(bigEndian: next)
        return key.array()
    }

    /// Takes the next fragment.
    ///
    /// - Returns: the fragment's part of the entry's stream.
    /// - Throws: ``CodecError`` when the fragment is not the next one, or its hash does not match.
    @_lifetime(copy value)
    mutating func take(key: RawSpan, value: RawSpan) throws(CodecError) -> RawSpan {
        let fragment = try FeedFragment(key: key, value: value)
        guard fragment.sequence == sequence, fragment.fragment == next else {
            throw CodecError("fragment \(next) is missing")
        }
        if hash == nil { hash = try FeedFragment.previousHash(inFirst: fragment.stream) }
        hash = try fragment.verifiedHash(seed: hash ?? 0)
        next += 1
        isComplete = fragment.isLast
        return fragment.stream
    }

    /// Returns whether a fragment is the undamaged first fragment of the change set after a position, but continues another
    /// change set. The store then has another history than the one that was read.
    static func begins(key: RawSpan, value: RawSpan, elsewhereThan position: Position) -> Bool {
        guard let fragment = try? FeedFragment(key: key, value: value),
            fragment.sequence == position.sequence + 1, fragment.fragment == 0,
            let previous = try? FeedFragment.previousHash(inFirst: fragment.stream)
        else { return false }
        return previous != position.hash && fragment.computedHash(seed: previous) == fragment.storedHash
    }
}
