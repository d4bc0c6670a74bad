import Foundation
import Glibc
import TestSupport

// Damages copies of a store and uses them, or tries changed inputs of one kind. It is a process of its own, because a test
// watches whether it survives. It prints "case N …" before each step of a case, "finding N …" for a wrong result,
// and "done" at the end.
//
//   DamageWorker make DIR COUNT                   makes a store with COUNT items
//   DamageWorker run DIR SEED FIRST LAST          damages copies FIRST to LAST of the store in DIR
//   DamageWorker fuzz TARGET DIR SEED FIRST LAST  tries inputs FIRST to LAST of a target, with DIR for its files
//   DamageWorker hold DIR                         holds a store open, and uses it for each line of its input

let arguments = CommandLine.arguments
switch arguments[1] {
case "make": try await SampleStore.make(at: arguments[2], count: Int(arguments[3])!)
case "run":
    let report = WorkerReport()
    let sample = [UInt8](try Data(contentsOf: URL(filePath: arguments[2] + "/data.mdb")))
    let path = arguments[2] + ".damaged"
    for copy in Int(arguments[4])!...Int(arguments[5])! {
        var random = TestRandom(seed: UInt64(arguments[3])! << 32 + UInt64(copy))
        let damage = Damage.allCases[copy % Damage.allCases.count]
        var bytes = sample
        damage.apply(to: &bytes, &random)
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path + "/data.mdb"))
        report.line("case \(copy) \(damage.rawValue)")
        await DamagedStore(path: path).tryAll { report.line("case \(copy) \(damage.rawValue) \($0)") }
    }
    try? FileManager.default.removeItem(atPath: path)
    report.line("done")
case "fuzz":
    let report = WorkerReport()
    let run = FuzzRun(seed: UInt64(arguments[4])!, cases: Int(arguments[5])!...Int(arguments[6])!, report: report)
    do {
        try await run.run(FuzzTargetName(rawValue: arguments[2])!, in: arguments[3])
    } catch {
        report.line("finding: the target cannot be set up: \(error)")
        exit(1)
    }
case "hold": await HeldStore(path: arguments[2]).serve()
default: exit(64)
}
