import Foundation
import TestSupport
import Testing

/// The loss of power at any moment of a command that makes or changes the files of a store: the possible contents of the disk,
/// with the names of files and directories.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 240 : 10))) struct FolderLossTests {
    @Test(arguments: FileCommand.allCases)
    func `a command that loses power leaves each store as before or as after, and as after once it has said so`(
        command: FileCommand
    ) throws {
        let loss = try FolderLoss(command)
        for order in FolderDisk.NameOrder.allCases {
            let outcome = try loss.cut(
                loss.log, images: TestLength.isLong ? 3_000 : 4, order: order, seed: TestRun.seed)
            TestRun.note("\(command), names in the order \(order): \(outcome.summary)")
            #expect(outcome.violations == [], "MODELSTORE_SEED=\(TestRun.seed)")
            #expect(outcome.finished > 0, "no image is as after the command")
        }
    }

    /// A file system may keep names in another order than they were made. The images above seldom show it.
    @Test func `the name of a redo log is on the disk before the name of its side file`() throws {
        let steps = try FolderLoss(.open).log.steps
        func making(of name: String) -> Int? {
            steps.firstIndex { step in
                guard case .names(let change) = step else { return false }
                return change.entries.contains { $0.name == name && $0.node != nil }
            }
        }
        let (log, side) = (try #require(making(of: "redo.log")), try #require(making(of: "redo.checkpoint")))
        try #require(log < side)
        #expect(steps[log..<side].contains { if case .directorySync = $0 { true } else { false } })
    }

    @Test(arguments: [FileCommand.create, .backup, .restore])
    func `a command that syncs no directory is found out`(command: FileCommand) throws {
        let loss = try FolderLoss(command)
        let outcome = try loss.cut(
            loss.log.without(.directorySync), images: 100, order: .journal, seed: TestRun.seed, stopAtViolations: 1)
        TestRun.note("\(command) without syncs of directories: \(outcome.violations.first ?? "nothing found")")
        #expect(!outcome.violations.isEmpty, "MODELSTORE_SEED=\(TestRun.seed)")
    }

    @Test(arguments: [FileCommand.importRecords, .backup, .restore])
    func `a command that syncs no file is found out`(command: FileCommand) throws {
        let loss = try FolderLoss(command)
        let outcome = try loss.cut(
            loss.log.without(.sync), images: 100, order: .any, seed: TestRun.seed, stopAtViolations: 1)
        TestRun.note("\(command) without syncs of files: \(outcome.violations.first ?? "nothing found")")
        #expect(!outcome.violations.isEmpty, "MODELSTORE_SEED=\(TestRun.seed)")
    }
}
