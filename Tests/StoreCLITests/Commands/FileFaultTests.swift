import Foundation
import ModelStoreTesting
import StoreCommands
import Testing

/// Commands that make a store's files, in this process, with a failure at each call that flushes to the disk or gives a name.
@Suite("Faults of files") struct FileFaultTests {
    @Test(arguments: ["create", "backup", "compact", "restore"])
    func `A command that fails leaves no store, and succeeds when it is repeated`(command: String) throws {
        var positions: [FaultInjector.Call: Int] = [:]
        for call in [FaultInjector.Call.syncFile, .moveFile, .syncDirectory] {
            while true {
                let tool = try Sample.empty()
                let (made, faults) = (tool.path("made"), FaultInjector(path: tool.folder))
                let arguments =
                    switch command {
                    case "create": ["--store", made, "create", "--schema", tool.path("schema.json")]
                    case "restore": ["--store", made, "restore", tool.store]
                    default: ["--store", tool.store, command, made]
                    }
                let status = faults.failing(call, with: .ioError, after: positions[call, default: 0]) {
                    StoreCommandLine.run(arguments)
                }
                if faults.failureCount == 0 {
                    #expect(status == .done)
                    break
                }
                positions[call, default: 0] += 1
                #expect(status == .ioError, "\(positions)")
                #expect(!FileManager.default.fileExists(atPath: made), "\(positions)")
                #expect(StoreCommandLine.run(arguments) == .done, "\(positions)")
                #expect(try tool.run("--store", made, "verify").status == 0, "\(positions)")
            }
        }
        #expect(positions[.syncFile] == 1 && positions[.syncDirectory, default: 0] >= 2, "\(positions)")
    }
}
