/// The values of an object at different positions: the newest value, and older ones while a view can read them.
struct Versions<Value> {
    private struct Version {
        let sequence: UInt64
        let value: Value
    }

    private var last: Version
    /// In ascending order.
    private var older: [Version] = []
    /// Values from before all these. Each is known at its own position only.
    private var earlier: [Version] = []

    init(_ value: Value, at sequence: UInt64) { last = Version(sequence: sequence, value: value) }

    /// The newest value, which may not be published yet.
    var newest: Value { last.value }
    /// The position of the newest value.
    var newestSequence: UInt64 { last.sequence }
    /// Whether there are older values.
    var hasOlder: Bool { !older.isEmpty || !earlier.isEmpty }

    /// Returns the value at a position; nil if it was dropped or did not exist yet.
    func value(at sequence: UInt64) -> Value? {
        if last.sequence <= sequence { return last.value }
        if let version = older.last(where: { $0.sequence <= sequence }) { return version.value }
        return earlier.first { $0.sequence == sequence }?.value
    }

    /// Returns the value at a position, or the oldest value if none is known there. A value that was read a moment ago may be
    /// newer than the published position.
    func valueOrOldest(at sequence: UInt64) -> Value { value(at: sequence) ?? oldest }

    /// The oldest known value, apart from those in `earlier`.
    var oldest: Value { older.first?.value ?? last.value }

    /// Adds a newer value.
    mutating func push(_ value: Value, at sequence: UInt64) {
        older.append(last)
        last = Version(sequence: sequence, value: value)
    }

    /// Adds the value at a position before all known ones. The values in between stay unknown.
    ///
    /// - Parameter floor: the oldest position at which a thread can read.
    mutating func addEarlier(_ value: Value, at sequence: UInt64, floor: UInt64) {
        earlier.removeAll { $0.sequence < floor }
        earlier.append(Version(sequence: sequence, value: value))
    }

    /// Drops the values that no read at `floor` or later can need.
    mutating func prune(below floor: UInt64) {
        earlier.removeAll { $0.sequence < floor }
        if last.sequence <= floor { return older = [] }
        guard let first = older.lastIndex(where: { $0.sequence <= floor }), first > 0 else { return }
        older.removeFirst(first)
    }
}
