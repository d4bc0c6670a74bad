import Foundation

/// The length of the randomized tests: `MODELSTORE_LONG=1` in the environment makes them long.
package enum TestLength {
    package static let isLong = ProcessInfo.processInfo.environment["MODELSTORE_LONG"] == "1"

    /// The time limit of tests that wait for updates, in minutes. A test whose update never comes then ends soon, with its name. A
    /// sanitizer makes tests many times slower.
    package static let waitMinutes =
        isLong || ProcessInfo.processInfo.environment["MODELSTORE_SANITIZER"] != nil ? 20 : 6

    /// Returns `short`, or `long` if the environment asks for long tests.
    package static func runs(_ short: Int, long: Int) -> Int { isLong ? long : short }

    /// Returns the seeds of a test: up to `short`, or up to `long` if the environment asks for long tests.
    package static func seeds(_ short: UInt64, long: UInt64) -> ClosedRange<UInt64> { 1...(isLong ? long : short) }
}
