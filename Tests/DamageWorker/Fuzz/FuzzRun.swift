import Foundation
import Glibc
import TestSupport

/// Tries the inputs of a target one after the other.
struct FuzzRun {
    /// No input is allowed to need more address space. The map of a store takes at most half of it.
    private static let maximumByteCount: rlim_t = 4 << 30

    let seed: UInt64
    let cases: ClosedRange<Int>
    let report: WorkerReport

    /// - Parameter name: a target, which may keep files in the folder.
    func run(_ name: FuzzTargetName, in folder: String) async throws {
        // Before the target opens a store, whose map then fits.
        limitMemory()
        var target = try await name.target(in: folder)
        var acceptedCount = 0
        for number in cases {
            var random = TestRandom(seed: seed << 32 + UInt64(number))
            // The valid inputs come first, unchanged. If the code refused them, the changed ones would try little.
            let isValid = number < target.validCount
            let input = isValid ? target.inputs.corpus[number] : target.inputs.next(&random)
            report.line("case \(number)")
            do {
                let isAccepted = try await target.run(input, number: number, &random)
                if isAccepted { acceptedCount += 1 }
                guard isAccepted || !isValid else { throw Mismatch("a valid input is refused") }
            } catch {
                let base64 = Data(input.prefix(3_000)).base64EncodedString()
                let text = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
                report.line("finding \(number) \(text.prefix(1_000)); input: \(base64)")
            }
        }
        report.line("done, accepted \(acceptedCount)")
    }

    /// A sanitizer reserves more address space than the limit.
    private func limitMemory() {
        guard (ProcessInfo.processInfo.environment["MODELSTORE_SANITIZER"] ?? "").isEmpty else { return }
        var limit = rlimit(rlim_cur: Self.maximumByteCount, rlim_max: Self.maximumByteCount)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
}
