import Foundation

/// How this run of the tests is set up.
enum TestRun {
    /// The seed of everything random in the run; `MODELSTORE_SEED` repeats one that a run printed.
    static let seed =
        ProcessInfo.processInfo.environment["MODELSTORE_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)

    /// Says something that a reader of the test's output wants to know although nothing failed.
    static func note(_ text: String) { FileHandle.standardOutput.write(Data("LivepageTests: \(text)\n".utf8)) }

    /// Waits until something holds.
    ///
    /// - Throws: ``TooLate`` when it does not after so long.
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

/// What was waited for did not come.
struct TooLate: Error, CustomStringConvertible {
    let what: String

    var description: String { "not in time: \(what)" }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
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
