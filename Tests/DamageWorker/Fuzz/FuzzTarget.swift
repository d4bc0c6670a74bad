import TestSupport

/// A part of the code that takes inputs from outside, with valid inputs of its kind.
protocol FuzzTarget {
    /// Makes the inputs.
    var inputs: Mutator { get }

    /// How many of the first members of the corpus the tried code accepts.
    var validCount: Int { get }

    /// Uses an input. An error of the tried code is right, and is caught here.
    ///
    /// - Returns: whether the tried code accepted the input.
    /// - Throws: `Mismatch` if the result is wrong.
    mutating func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) async throws -> Bool
}

extension FuzzTarget {
    var validCount: Int { inputs.corpus.count }
}

/// The targets that a test names.
enum FuzzTargetName: String {
    case schema, expression, csv, json, pageToken, eventID, trace, replay, lockFile, heldLockFile, wakeFile

    /// Returns the target, which may keep files in a folder that exists.
    func target(in folder: String) async throws -> any FuzzTarget {
        switch self {
        case .schema: SchemaTarget()
        case .expression: try ExpressionTarget(in: folder)
        case .csv: try CSVTarget()
        case .json: try JSONTarget()
        case .pageToken: try await PageTokenTarget()
        case .eventID: try await EventIDTarget(in: folder)
        case .trace: try await TraceTarget(in: folder, replays: false)
        case .replay: try await TraceTarget(in: folder, replays: true)
        case .lockFile: try await LockFileTarget(in: folder)
        case .heldLockFile: try await HeldLockFileTarget(in: folder)
        case .wakeFile: try await WakeFileTarget(in: folder)
        }
    }
}
