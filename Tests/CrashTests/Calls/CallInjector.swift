import ChildPrograms
import Foundation

/// Runs a command, and counts its calls or makes one of them fail.
protocol CallInjector {
    /// Starts a program. Its standard error output goes to a file of the library.
    ///
    /// - Parameters:
    ///   - fault: the call that fails; nil if the calls are counted.
    ///   - folder: the folder of the run, for the injector's files too.
    func start(
        _ program: String, _ arguments: [String], environment: [String: String], fault: CallFault?, folder: String
    ) throws -> InjectedProcess

    /// Returns how often the last program that was started without a fault made each call.
    func counts(in folder: String) throws -> [String: Int]

    /// Returns whether the last fault says nothing about the command: the system never causes it, or it ended Dispatch.
    func wasMeaningless(in folder: String) throws -> Bool
}

extension CallInjector {
    func wasMeaningless(in folder: String) throws -> Bool { false }
}

/// The library that makes calls fail, or lets a tracer do it.
struct FailingCallsLibrary {
    private let library: PreloadedLibrary

    init() throws { library = try PreloadedLibrary(source: "FailingCalls/failingcalls.c") }

    /// Adds the variables that every run needs.
    func preload(into variables: inout [String: String], _ folder: String) {
        variables["LD_PRELOAD"] = library.path
        variables["FAILINGCALLS_ERRORS"] = Self.errors(of: folder)
    }

    /// The file with the standard error output of a run.
    static func errors(of folder: String) -> String { folder + ".errors" }
}

/// A running command, and the program that traces it.
struct InjectedProcess {
    let process: ChildProcess
    var tracer: ChildProcess?
}

/// Makes calls of the C library fail in the process, with a preloaded library.
struct PreloadedInjector: CallInjector {
    private let library: FailingCallsLibrary

    init() throws { library = try FailingCallsLibrary() }

    func start(
        _ program: String, _ arguments: [String], environment: [String: String], fault: CallFault?, folder: String
    ) throws -> InjectedProcess {
        var variables = environment
        library.preload(into: &variables, folder)
        if let fault {
            variables["FAILINGCALLS_FAIL"] = "\(fault.call):\(fault.number):\(fault.code)"
        } else {
            variables["FAILINGCALLS_COUNTS"] = folder + ".counts"
        }
        return InjectedProcess(process: try ChildProcess(program, arguments, environment: variables))
    }

    func counts(in folder: String) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in try String(contentsOfFile: folder + ".counts", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { counts[String(words[0])] = Int(words[1]) }
        }
        return counts
    }
}

/// Makes system calls fail from outside, with `strace`. It counts the calls of each thread on their own, from the beginning of
/// the main function.
struct TracingInjector: CallInjector {
    static let strace = Command.find(["strace"])
    /// The system calls of the C library for memory of its own must not fail: Swift ends the process then.
    private static let memoryCalls: Set<String> = ["mmap", "mremap", "madvise"]

    private let library: FailingCallsLibrary
    private let strace: String

    init() throws {
        guard let strace = Self.strace else {
            throw Command.Failed(description: "there is no strace: install the package strace")
        }
        self.strace = strace
        library = try FailingCallsLibrary()
    }

    func start(
        _ program: String, _ arguments: [String], environment: [String: String], fault: CallFault?, folder: String
    ) throws -> InjectedProcess {
        var variables = environment
        library.preload(into: &variables, folder)
        variables["FAILINGCALLS_WAIT"] = "1"
        let process = try ChildProcess(program, arguments, environment: variables)
        guard process.nextLine() == "waiting" else { throw Command.Failed(description: "the program does not wait") }
        var options = ["-f", "-p", String(process.processID), "-o", folder + ".log"]
        if let fault {
            options += ["-e", "trace=?\(fault.call)"]
            options += ["-e", "inject=?\(fault.call):error=\(fault.error):when=\(fault.number)"]
            if Self.memoryCalls.contains(fault.call) { options += Self.files(of: folder) }
        } else {
            options += ["-e", "trace=" + CallFault.errors.keys.map { "?" + $0 }.joined(separator: ",")]
        }
        let tracer = try ChildProcess(strace, options, mergesErrors: true)
        guard let line = tracer.nextLine(), line.hasSuffix("attached") else {
            throw Command.Failed(description: "strace cannot attach to the program")
        }
        process.send("go")
        return InjectedProcess(process: process, tracer: tracer)
    }

    /// An event counter always takes a number. Dispatch counts the threads that run, from time to time.
    func wasMeaningless(in folder: String) throws -> Bool {
        let log = try String(contentsOfFile: folder + ".log", encoding: .utf8)
        return log.split(separator: "\n").contains { line in
            line.hasSuffix("(INJECTED)")
                && (line.contains(#", "\1\0\0\0\0\0\0\0", 8)"#) || line.contains(#/"/proc/\d+/stat"/#))
        }
    }

    /// Returns options that limit the traced calls to those on the files of the stores.
    private static func files(of folder: String) -> [String] {
        CallFaultRun.storeNames.flatMap { store in
            ["data.mdb", "lock.mdb", "feed.wake"].flatMap { ["-P", "\(folder)/\(store)/\($0)"] }
        }
    }

    func counts(in folder: String) throws -> [String: Int] {
        Self.counts(inLog: try String(contentsOfFile: folder + ".log", encoding: .utf8))
    }

    /// Returns how often the thread that made the most calls of a name made them.
    static func counts(inLog log: String) -> [String: Int] {
        var threads: [String: [String: Int]] = [:]
        for line in log.split(separator: "\n") {
            // "12345 openat(…) = 3", or "12345 <... openat resumed>…" for the rest of a call. More spaces follow a short number.
            let thread = line.prefix { $0 != " " }
            let call = line[thread.endIndex...].drop { $0 == " " }
            guard let end = call.firstIndex(of: "("), !call.hasPrefix("<") else { continue }
            threads[String(thread), default: [:]][String(call[..<end]), default: 0] += 1
        }
        return threads.values.reduce(into: [:]) { counts, thread in counts.merge(thread) { max($0, $1) } }
    }
}
