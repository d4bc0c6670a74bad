import Foundation
import StoreEngine

/// How long the randomized tests run: `MODELSTORE_LONG=1` in the environment makes them long.
enum TestLength {
    static let isLong = ProcessInfo.processInfo.environment["MODELSTORE_LONG"] == "1"

    /// `short` runs, or `long` ones when asked for.
    static func runs(_ short: Int, long: Int) -> Int { isLong ? long : short }
}

/// Random choices that a seed repeats.
struct TestRandom: RandomNumberGenerator {
    private var stream: TransactionRandom

    init(seed: UInt64) { stream = TransactionRandom(seed: seed) }

    mutating func next() -> UInt64 { stream.next() }

    /// One of 0 to `count - 1`.
    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// True once in `count` times on average.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// One of `values`, which must not be empty.
    mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}

/// What a randomized test found. Thrown, because an expectation in each of many runs takes more time than the run.
struct Mismatch: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
