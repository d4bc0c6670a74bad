/// Random choices that a seed repeats, by SplitMix64 (Steele, Lea and Flood, 2014).
package struct TestRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `count - 1`.
    package mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// Returns true once in `count` times on average.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Returns true in `percent` of a hundred times on average.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Returns one of `values`, which must not be empty.
    package mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}
