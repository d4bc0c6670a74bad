import Foundation
import StoreEngine

/// Numbers that a seed repeats.
struct SeededNumbers: RandomNumberGenerator {
    private var stream: TransactionRandom

    init(_ seed: UInt64) { stream = TransactionRandom(seed: seed) }

    mutating func next() -> UInt64 { stream.next() }

    /// One of 0 to `count - 1`.
    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

/// How long the randomized tests run: `MODELSTORE_LONG=1` in the environment makes them long.
enum TestLength {
    static let isLong = ProcessInfo.processInfo.environment["MODELSTORE_LONG"] == "1"

    /// The seeds of a test: up to `short`, or up to `long` when asked for.
    static func seeds(_ short: UInt64, long: UInt64) -> ClosedRange<UInt64> { 1...(isLong ? long : short) }
}
