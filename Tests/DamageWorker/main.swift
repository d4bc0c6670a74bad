import Foundation
import Glibc
import TestSupport

// Damages copies of a store and uses them. It is a process of its own, because a test watches whether it survives.
//
//   DamageWorker make DIR COUNT            makes a store with COUNT items
//   DamageWorker run DIR SEED FIRST LAST   damages copies FIRST to LAST of the store in DIR, and prints each step before it

let arguments = CommandLine.arguments
switch arguments[1] {
case "make": try await SampleStore.make(at: arguments[2], count: Int(arguments[3])!)
case "run":
    let reports = dup(1)
    let nowhere = unsafe open("/dev/null", O_RDWR)
    for descriptor: Int32 in 0...2 { dup2(nowhere, descriptor) }
    func report(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(reports, $0.baseAddress, $0.count) }
    }
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
        report("copy \(copy) \(damage.rawValue)")
        await DamagedStore(path: path).tryAll { report("\(copy) \(damage.rawValue) \($0)") }
    }
    try? FileManager.default.removeItem(atPath: path)
    report("done")
default: exit(64)
}
