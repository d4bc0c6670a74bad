/// The fragments of one entry of the feed as they are read, each of which must be the next and fit the hash before it.
struct FragmentChain: Sendable {
    /// The entry's sequence number.
    let sequence: UInt64
    /// The hash up to here: of the entry before, then of the newest fragment; nil before the first fragment of an entry that is
    /// read alone, which says itself what the hash before it was.
    private(set) var hash: UInt64?
    /// Whether the last fragment was taken.
    private(set) var isComplete = false
    private var next: UInt32 = 0

    init(sequence: UInt64, after hash: UInt64?) {
        self.sequence = sequence
        self.hash = hash
    }

    /// The key of the fragment that comes next.
    var nextKey: [UInt8] {
        var key = ByteWriter(capacity: 16)
        key.append(bigEndian: sequence)
        key.append(bigEndian: next)
        return key.array()
    }

    /// Takes the next fragment.
    ///
    /// - Returns: its part of the entry's stream.
    /// - Throws: ``CodecError`` when it is not the next one, or its hash does not fit.
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
}
