import ChildPrograms
import Foundation
import TestSupport

/// Records one command, cuts the recorded run at many moments, and checks the possible contents of the disk.
final class FolderLoss {
    /// The results of the cuts.
    struct Outcome {
        var images = 0
        /// The number of images after which the command was run once more.
        var repetitions = 0
        /// The number of images in which a store is as it was before the command, and as it is afterwards.
        var unchanged = 0
        var finished = 0
        /// The number of images in which a directory of an interrupted command is left, and of those that a repetition left.
        var leftovers = 0
        var unswept = 0
        var violations: [String] = []

        var summary: String {
            "\(images) images: \(unchanged) as before, \(finished) as after the command; \(repetitions) repetitions; "
                + "\(leftovers) with leftovers, \(unswept) of them after the repetition; violations in \(violations.count)"
        }
    }

    let log: FolderLog
    private let command: FileCommand
    private let directory: ScratchDirectory
    private let worker = AskedWorker("contents")
    private let before: [String: String]
    private let after: [String: String]
    private let making: FileCommand.Making
    private var input: String { directory.path("input") }
    /// Where the images are written.
    private var folder: String { directory.path("image") }

    /// Runs the command and records it.
    init(_ command: FileCommand) throws {
        self.command = command
        directory = try ScratchDirectory(inMemory: true)
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        let folder = directory.path("folder")
        for name in [folder, directory.path("input"), directory.path("empty")] {
            try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
        }
        try command.prepare(folder, input: directory.path("input"))
        var making = FileCommand.Making()
        if command == .open || command == .importNew {
            try command.prepareEmpty(directory.path("empty"), input: directory.path("input"))
            making.empty = try Self.contents(of: directory.path("empty"), command, worker)[command.stores[0]] ?? ""
        }
        self.making = making
        let beginning = try FolderLog.Beginning(of: folder)
        let logPath = directory.path("log")
        try command.run(
            folder, input: directory.path("input"), environment: library.environment(log: logPath, root: folder))
        log = try FolderLog(contentsOf: logPath, folder: folder, beginning: beginning)
        try Self.requireComplete(log, folder)
        after = try Self.contents(of: folder, command, worker)
        var random = TestRandom(seed: 0)
        try FolderDisk(beginning).image(chance: 0, unit: .page, order: .any, using: &random).write(to: folder)
        before = try Self.contents(of: folder, command, worker)
    }

    /// Throws if the files are not as the log leaves them: then the library misses a way to change files.
    private static func requireComplete(_ log: FolderLog, _ folder: String) throws {
        var disk = FolderDisk(log.beginning)
        for step in log.steps { disk.apply(step) }
        var random = TestRandom(seed: 0)
        let expected = disk.image(chance: 1, unit: .page, order: .any, using: &random).withoutMappedFiles
        let found = try FolderDisk.Image(of: folder).withoutMappedFiles
        guard expected != found else { return }
        let names = Set(expected.files.keys).union(found.files.keys).filter { expected.files[$0] != found.files[$0] }
        throw Command.Failed(
            description: "the log does not describe the files \(names.sorted()); directories "
                + "\(expected.directories.symmetricDifference(found.directories).sorted())")
    }

    private static func contents(
        of folder: String, _ command: FileCommand, _ worker: AskedWorker
    ) throws -> [String: String] {
        var contents: [String: String] = [:]
        for name in command.stores {
            let answer = try worker.ask(folder + "/" + name)
            // The reason of a refusal contains the path.
            contents[name] =
                answer.hasPrefix("refused ") ? answer.split(separator: " ").prefix(2).joined(separator: " ") : answer
        }
        return contents
    }

    /// The fractions of unsynced units and names that reach the disk.
    private static let chances = [0, 0.1, 0.5, 0.5, 0.9, 1]
    /// One in so many images is followed by the command once more.
    private static let imagesPerRepetition = 12

    /// Cuts before and within the steps of a log, until there are enough violations.
    ///
    /// - Parameter images: The number of images. Half of them are at changes of names and at syncs.
    func cut(
        _ log: FolderLog, images: Int, order: FolderDisk.NameOrder, seed: UInt64, stopAtViolations limit: Int = 20
    ) throws -> Outcome {
        var random = TestRandom(seed: seed)
        var outcome = Outcome()
        let half = Double(images) / 2
        let each = half / Double(max(log.steps.count { $0.changesDisk }, 1))
        let structural = half / Double(max(log.steps.count { $0.isStructural }, 1))
        var disk = FolderDisk(log.beginning)
        var allowed = command.allowed(before: before, after: after, while: making)
        var stages = command.stages(after: after, while: making)[...]
        for (place, step) in log.steps.enumerated() {
            if case .mark(let text) = step, let stage = stages.first, text.hasPrefix(stage.mark) {
                allowed = stage.allowed
                stages.removeFirst()
            }
            if step.changesDisk {
                var cut = disk
                cut.begin(step)
                let average = each + (step.isStructural ? structural : 0)
                let times =
                    Int(average) + (Double.random(in: 0..<1, using: &random) < average - average.rounded(.down) ? 1 : 0)
                for _ in 0..<times where outcome.violations.count < limit {
                    try look(at: cut, "before step \(place)", allowed, order, &outcome, &random)
                }
            }
            disk.apply(step)
        }
        guard stages.isEmpty else { throw Command.Failed(description: "the command did not print \(stages[0].mark)") }
        for _ in 0..<max(images / 10, 6) where outcome.violations.count < limit {
            try look(at: disk, "after the end", allowed, order, &outcome, &random)
        }
        return outcome
    }

    private func look(
        at disk: FolderDisk, _ place: String, _ allowed: [String: Set<String>], _ order: FolderDisk.NameOrder,
        _ outcome: inout Outcome, _ random: inout TestRandom
    ) throws {
        let chance = random.pick(Self.chances)
        let unit = Bool.random(using: &random) ? Disk.Unit.page : .sector
        let image = disk.image(chance: chance, unit: unit, order: order, using: &random)
        try image.write(to: folder)
        outcome.images += 1
        if Self.hasLeftovers(image) { outcome.leftovers += 1 }
        let cut = "\(command), cut \(place), each \(unit) and name kept with chance \(chance) in the order \(order)"
        // The command then starts on the image itself, before another program has opened a store in it.
        if random.oneIn(Self.imagesPerRepetition) { return try runAgain(cut, &outcome) }
        let found = try Self.contents(of: folder, command, worker)
        if found == before { outcome.unchanged += 1 }
        if found == after { outcome.finished += 1 }
        for name in command.stores where allowed[name]?.contains(found[name] ?? "") != true {
            if command.completesUnfinishedStores, found[name]?.hasPrefix("refused ") == true,
                allowed[name]?.contains("absent") == true
            {
                try image.write(to: folder)
                try runAgain(cut, &outcome)
            } else {
                outcome.violations.append("\(cut): \(name) is \(found[name] ?? ""), allowed are \(allowed[name] ?? [])")
            }
        }
    }

    /// Runs the command on an image. It must complete the interrupted command.
    private func runAgain(_ cut: String, _ outcome: inout Outcome) throws {
        outcome.repetitions += 1
        var failure = ""
        do {
            try command.run(folder, input: input)
        } catch {
            failure = "\(error)"
        }
        let found = try Self.contents(of: folder, command, worker)
        if found != after, !command.mayRefuse(found, failure, making) {
            outcome.violations.append("\(cut), repeated: \(found), expected \(after): \(failure)")
        }
        if Self.hasLeftovers(try FolderDisk.Image(of: folder)) { outcome.unswept += 1 }
    }

    private static func hasLeftovers(_ image: FolderDisk.Image) -> Bool {
        image.directories.contains { ($0 as NSString).lastPathComponent.hasPrefix(".") }
    }
}
