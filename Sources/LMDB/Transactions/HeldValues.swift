/// Values of one snapshot, each under a number: found in one order, to be read in another.
@safe
package struct HeldValues: ~Copyable, ~Escapable {
    /// How many values ahead memory is asked for one.
    private static let distance = 8

    private var values: [UnsafeRawBufferPointer]

    /// Room for the values with the numbers below `count`, each without bytes at first.
    @_lifetime(copy snapshot)
    package init(count: Int, of snapshot: borrowing LMDBSnapshot) {
        unsafe values = Array(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: count)
    }

    /// Puts down a value of the snapshot.
    @_lifetime(self: copy self)
    package mutating func hold(_ value: RawSpan, as number: Int) {
        unsafe value.withUnsafeBytes { unsafe values[number] = $0 }
    }

    /// The value with a number. Those of the next numbers are asked of memory, which takes a while to bring them.
    package subscript(number: Int) -> RawSpan {
        @_lifetime(copy self)
        borrowing get {
            if unsafe number + Self.distance < values.count {
                unsafe Calls.prefetch(beginningOf: values[number + Self.distance])
            }
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: values[number]), copying: self)
        }
    }
}
