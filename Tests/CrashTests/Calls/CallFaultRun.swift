import ChildPrograms
import Foundation

/// Runs a command on fresh copies of a store, first without and then with a fault, and compares.
struct CallFaultRun {
    /// How a command ended, with the lines of its outputs.
    private struct Result {
        var end: ChildProcess.End?
        var lines: [String] = []
        var errors: [String] = []
    }

    /// The files after a command, and the content of each store among them.
    private struct State {
        var files: Set<String> = []
        var stores: [String: [String]] = [:]
    }

    static let program = BuiltProgram.path("store-cli")
    /// The stores in the folder of a run: the given one, and the one that the command makes.
    static let storeNames = ["store", "made"]
    /// The statuses that `store-cli --help` lists.
    private static let statuses: Set<Int32> = [0, 1, 64, 65, 66, 74, 75, 76, 78]
    /// A command takes milliseconds, and calls that are tried again some seconds.
    private static let patienceSeconds = 60.0
    /// Every process that opens a store may make these beside the data file.
    private static let smallFiles = ["lock.mdb", "feed.wake"]

    let command: TriedCommand
    private let given: GivenFiles
    private let injector: any CallInjector
    private let directory: ScratchDirectory
    private var before = State()
    private var after = State()
    private var expected = Result()
    /// How often the command makes each call.
    private(set) var counts: [String: Int] = [:]

    private var own: String { directory.path("own") }

    /// Runs the command without a fault.
    init(_ command: TriedCommand, _ given: GivenFiles, _ injector: any CallInjector) throws {
        self.command = command
        self.given = given
        self.injector = injector
        directory = try ScratchDirectory(inMemory: true)
        try reset()
        before = try state()
        try reset()
        expected = try run(nil)
        counts = try injector.counts(in: own)
        after = try state()
        guard expected.end == .exit(0) else {
            throw Command.Failed(description: "\(command.testDescription): \(expected.end as Any) \(expected.errors)")
        }
    }

    /// Runs the command with a fault.
    ///
    /// - Returns: the first wrong result; nil if all is right.
    func mistake(with fault: CallFault) throws -> String? {
        try reset()
        let result = try run(fault)
        if try injector.wasMeaningless(in: own) { return nil }
        guard let end = result.end else { return "it does not end" }
        guard case .exit(let status) = end, Self.statuses.contains(status) else { return "\(end): \(result.errors)" }
        let errorCount = result.errors.count { $0.hasPrefix("error: ") }
        if status == 0 {
            guard errorCount == 0 else { return "status 0 with \(result.errors)" }
            guard command.hasVaryingOutput || result.lines == expected.lines else {
                return "status 0 with other output: \(result.lines)"
            }
        } else if errorCount != 1, !(fault.concernsOutput && errorCount == 0) {
            return "status \(status) with \(result.errors)"
        }
        let found = try state()
        for name in Self.storeNames {
            let content = found.stores[name]
            let allowed = status == 0 ? [after.stores[name]] : [before.stores[name], after.stores[name]]
            guard allowed.contains(content) else { return "status \(status), \(name) has \(content ?? ["nothing"])" }
        }
        guard !fault.concernsRemoval else { return nil }
        let left = found.files.subtracting(before.files).subtracting(after.files)
        return left.isEmpty ? nil : "status \(status), it leaves \(left.sorted())"
    }

    /// Makes the folder of a run.
    private func reset() throws {
        let files = FileManager.default
        try? files.removeItem(atPath: own)
        try files.createDirectory(atPath: own + "/store", withIntermediateDirectories: true)
        try files.createDirectory(atPath: own + "/tmp", withIntermediateDirectories: true)
        try files.copyItem(atPath: given.store + "/data.mdb", toPath: own + "/store/data.mdb")
    }

    private func run(_ fault: CallFault?) throws -> Result {
        let injected = try injector.start(
            Self.program, command.arguments(given: given.path, own: own), environment: ["TMPDIR": own + "/tmp"],
            fault: fault, folder: own)
        var result = Self.result(of: injected.process)
        let errors = try String(contentsOfFile: FailingCallsLibrary.errors(of: own), encoding: .utf8)
        result.errors = errors.split(separator: "\n").map(String.init)
        injected.process.kill()
        // It writes the end of its log after the end of the command.
        if let tracer = injected.tracer, (try? tracer.wait(seconds: 10)) == nil { tracer.kill() }
        return result
    }

    private static func result(of process: ChildProcess) -> Result {
        var result = Result()
        while let line = process.nextLine(seconds: patienceSeconds) { result.lines.append(line) }
        result.end = try? process.wait(seconds: patienceSeconds)
        return result
    }

    /// Reads the files and the stores of a run, with commands whose calls do not fail.
    private func state() throws -> State {
        var state = State()
        let walk = FileManager.default.enumerator(atPath: own)
        while let file = walk?.nextObject() as? String {
            if !Self.smallFiles.contains((file as NSString).lastPathComponent) { state.files.insert(file) }
        }
        for name in Self.storeNames where state.files.contains(name + "/data.mdb") {
            var content: [String] = []
            for words in [["verify"], ["export"], ["schema", "--output", "json"]] {
                let process = try ChildProcess(
                    Self.program, ["--store", own + "/" + name] + words, mergesErrors: true)
                let result = Self.result(of: process)
                // The output of `verify` has times.
                content += result.end == .exit(0) && words == ["verify"] ? [] : result.lines + ["\(result.end as Any)"]
            }
            state.stores[name] = content
        }
        return state
    }
}
