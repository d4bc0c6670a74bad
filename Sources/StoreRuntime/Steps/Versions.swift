/// What something is at different positions: the newest value, and older ones for as long as one may ask for them.
struct Versions<Value> {
    private struct Version {
        let sequence: UInt64
        let value: Value
    }

    private var last: Version
    /// In rising order.
    private var older: [Version] = []
    /// Values from before all these, each known of its own position and of no other.
    private var earlier: [Version] = []

    init(_ value: Value, at sequence: UInt64) { last = Version(sequence: sequence, value: value) }

    /// The newest value, which need not be visible yet.
    var newest: Value { last.value }
    /// The position of the newest value.
    var newestSequence: UInt64 { last.sequence }
    /// Whether there are others.
    var hasOlder: Bool { !older.isEmpty || !earlier.isEmpty }

    /// The value at a position; nil where it was let go, or was not there yet.
    func value(at sequence: UInt64) -> Value? {
        if last.sequence <= sequence { return last.value }
        if let version = older.last(where: { $0.sequence <= sequence }) { return version.value }
        return earlier.first { $0.sequence == sequence }?.value
    }

    /// The same; where nothing is known of the position the oldest value: one that was read a moment ago may be newer than
    /// what is visible.
    func valueOrOldest(at sequence: UInt64) -> Value { value(at: sequence) ?? oldest }

    /// The oldest value that is known.
    var oldest: Value { older.first?.value ?? last.value }

    /// Adds a newer value.
    mutating func push(_ value: Value, at sequence: UInt64) {
        older.append(last)
        last = Version(sequence: sequence, value: value)
    }

    /// Adds what the value was at a position before all that are known. What it was between is not known by that.
    ///
    /// - Parameter floor: nobody asks for anything older.
    mutating func addEarlier(_ value: Value, at sequence: UInt64, floor: UInt64) {
        earlier.removeAll { $0.sequence < floor }
        earlier.append(Version(sequence: sequence, value: value))
    }

    /// Forgets what nobody may ask for who asks at `floor` or later.
    mutating func prune(below floor: UInt64) {
        earlier.removeAll { $0.sequence < floor }
        if last.sequence <= floor { return older = [] }
        guard let first = older.lastIndex(where: { $0.sequence <= floor }), first > 0 else { return }
        older.removeFirst(first)
    }
}
