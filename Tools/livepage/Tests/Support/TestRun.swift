import Foundation

/// The settings of this test run.
enum TestRun {
    /// The seed of all random choices in the run. `MODELSTORE_SEED` repeats the seed that a run printed.
    static let seed =
        ProcessInfo.processInfo.environment["MODELSTORE_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)

    /// Prints a note that matters to a reader of the test's output even if nothing failed.
    static func note(_ text: String) { FileHandle.standardOutput.write(Data("LivepageTests: \(text)\n".utf8)) }

    /// Waits until a condition holds.
    ///
    /// - Throws: ``TooLate`` if it does not hold in time.
    static func wait(
        _ what: String, seconds: Double = 30, until holds: () throws -> Bool
    ) throws {
        let limit = ContinuousClock.now + .seconds(seconds)
        while try !holds() {
            guard ContinuousClock.now < limit else { throw TooLate(what: what) }
            usleep(20_000)
        }
    }
}

/// An expected event did not happen in time.
struct TooLate: Error, CustomStringConvertible {
    let what: String

    var description: String { "not in time: \(what)" }
}

/// SplitMix64: the same numbers for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
