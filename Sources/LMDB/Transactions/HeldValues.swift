/// Values of one snapshot, by number. They are found in one order and read in another.
@safe
package struct HeldValues: ~Copyable, ~Escapable {
    /// How many values ahead a value is prefetched.
    private static let distance = 8

    private var values: [UnsafeRawBufferPointer]

    /// Creates room for the values with the numbers below `count`. Each value is empty at first.
    @_lifetime(copy snapshot)
    package init(count: Int, of snapshot: borrowing LMDBSnapshot) {
        unsafe values = Array(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: count)
    }

    /// Stores a reference to a value of the snapshot.
    @_lifetime(self: copy self)
    package mutating func hold(_ value: RawSpan, as number: Int) {
        unsafe value.withUnsafeBytes { unsafe values[number] = $0 }
    }

    /// The value with a number. Also prefetches a later value, because memory needs time to deliver it.
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
