import Foundation

/// How long the randomized tests run: `MODELSTORE_LONG=1` in the environment makes them long.
package enum TestLength {
    package static let isLong = ProcessInfo.processInfo.environment["MODELSTORE_LONG"] == "1"

    /// `short` runs, or `long` ones when asked for.
    package static func runs(_ short: Int, long: Int) -> Int { isLong ? long : short }

    /// The seeds of a test: up to `short`, or up to `long` when asked for.
    package static func seeds(_ short: UInt64, long: UInt64) -> ClosedRange<UInt64> { 1...(isLong ? long : short) }
}
