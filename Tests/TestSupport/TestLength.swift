import Foundation

/// The length of the randomized tests: `MODELSTORE_LONG=1` in the environment makes them long.
package enum TestLength {
    package static let isLong = ProcessInfo.processInfo.environment["MODELSTORE_LONG"] == "1"

    /// The time limit of tests that wait for updates, in minutes. A test whose update never comes then ends soon, with its name.
    /// A sanitizer makes tests many times slower.
    package static let waitMinutes =
        isLong || ProcessInfo.processInfo.environment["MODELSTORE_SANITIZER"] != nil ? 20 : 6

    /// Returns `short`, or `long` if the environment asks for long tests.
    package static func runs(_ short: Int, long: Int) -> Int { isLong ? long : short }

    /// The seed that `MODELSTORE_SEED` in the environment asks to repeat; nil without it.
    package static let repeatedSeed = ProcessInfo.processInfo.environment["MODELSTORE_SEED"].flatMap { UInt64($0) }

    /// Returns the seeds of a test: up to `short`, or up to `long` if the environment asks for long tests. Only the repeated seed
    /// if there is one.
    package static func seeds(_ short: UInt64, long: UInt64) -> ClosedRange<UInt64> {
        repeatedSeed.map { $0...$0 } ?? 1...(isLong ? long : short)
    }

    /// Returns `short` blocks of `size` seeds, or `long` blocks if the environment asks for long tests. Only the repeated seed if
    /// there is one.
    package static func seedBlocks(_ short: UInt64, long: UInt64, of size: UInt64) -> [Range<UInt64>] {
        repeatedSeed.map { [$0..<$0 + 1] } ?? (0..<(isLong ? long : short)).map { $0 * size..<($0 + 1) * size }
    }
}
