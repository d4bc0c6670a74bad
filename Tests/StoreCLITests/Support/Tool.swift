import Foundation
import StoreEngine
import StoreRuntime

/// Runs the real `store-cli` as a process, on a store in its own folder.
final class Tool {
    /// The outcome of a run.
    struct Run: Equatable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// The executable next to the test bundle.
    static let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "store-cli").path

    /// The folder. It is removed with this object.
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "store-cli-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The store that commands use unless they name another.
    var store: String { path("store") }

    /// Returns a path in the folder.
    func path(_ name: String) -> String { folder + "/" + name }

    /// Writes a file into the folder.
    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    /// Writes a file into the folder.
    func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path(name))) }

    /// Starts a command. Its output goes to files, so that no pipe fills up, unless `output` or `errors` is given.
    func start(
        _ arguments: [String], program: String = executable, input: FileHandle? = nil, output: FileHandle? = nil,
        errors: FileHandle? = nil, environment: [String: String] = [:]
    ) throws -> Started {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        var variables = ProcessInfo.processInfo.environment
        variables["MODELSTORE_DIR"] = "store"
        variables.merge(environment) { $1 }
        process.environment = variables
        process.standardInput = input ?? FileHandle.nullDevice
        let name = "." + UUID().uuidString
        for suffix in [".out", ".err"] { try write(name + suffix, "") }
        process.standardOutput = try output ?? FileHandle(forWritingTo: URL(filePath: path(name + ".out")))
        process.standardError = try errors ?? FileHandle(forWritingTo: URL(filePath: path(name + ".err")))
        try process.run()
        return Started(process: process, files: path(name))
    }

    /// Runs a command to its end.
    @discardableResult
    func run(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) throws -> Run {
        var handle: FileHandle?
        if let input {
            try write(".input", input)
            handle = try FileHandle(forReadingFrom: URL(filePath: path(".input")))
        }
        return try start(arguments, input: handle, environment: environment).finish()
    }

    /// Runs a command to its end.
    @discardableResult
    func run(_ arguments: String..., input: String? = nil) throws -> Run { try run(arguments, input: input) }

    /// A command that may still run.
    struct Started {
        let process: Process
        let files: String

        /// Waits for the end of the command.
        func finish() throws -> Run {
            process.waitUntilExit()
            let output = try String(contentsOfFile: files + ".out", encoding: .utf8)
            let errors = try String(contentsOfFile: files + ".err", encoding: .utf8)
            for suffix in [".out", ".err"] { try FileManager.default.removeItem(atPath: files + suffix) }
            // The status of a process that a signal ended, as a shell reports it.
            let isSignal = process.terminationReason == .uncaughtSignal
            return Run(status: process.terminationStatus + (isSignal ? 128 : 0), output: output, errors: errors)
        }
    }
}

/// The store of most tests.
enum Sample {
    static let schema = """
        {"types": [
          {"name": "Sensor", "id": ["id"],
           "fields": [
             {"name": "id", "type": "string"}, {"name": "room", "type": "string"},
             {"name": "serial", "type": "string"}, {"name": "celsius", "type": "double", "default": {"value": 20.5}},
             {"name": "note", "type": "string?"}, {"name": "tags", "type": {"array": "string"}},
             {"name": "address", "type": {"optional": {"struct": [
               {"name": "city", "type": "string"}, {"name": "zip", "type": "int32?"}]}}}],
           "indexes": [{"fields": ["room"]}, {"fields": ["serial"], "unique": true}, {"fields": ["room", "celsius"]}]},
          {"name": "Log", "id": ["number"], "assignsIDs": true,
           "fields": [{"name": "number", "type": "int64"}, {"name": "text", "type": "string"}]},
          {"name": "Seat", "id": ["hall", "row"],
           "fields": [{"name": "hall", "type": "string"}, {"name": "row", "type": "int32"},
             {"name": "taken", "type": "bool"}]}]}
        """

    static let sensors = """
        {"id": "s1", "room": "kitchen", "serial": "A-17", "celsius": 21.5, "tags": ["warm", "dry"]}
        {"id": "s2", "room": "bath", "serial": "A-18", "celsius": "-inf", "note": "", "tags": []}
        {"id": "s3", "room": "hall", "serial": "Ä \\"19\\"", "note": "a, b", "tags": ["x"], \
        "address": {"city": "Köln", "zip": 50667}}

        """

    /// Creates a folder with a store of some records.
    static func tool() throws -> Tool {
        let tool = try empty()
        try tool.write("sensors.jsonl", sensors)
        try tool.run("import", "Sensor", "sensors.jsonl")
        try tool.run("insert", "Log", #"{"text": "begun"}"#)
        try tool.run("insert", "Seat", #"{"hall": "a,b", "row": 3, "taken": false}"#)
        return tool
    }

    /// Creates a folder with a store without records.
    static func empty() throws -> Tool {
        let tool = try Tool()
        try tool.write("schema.json", schema)
        try tool.run("create", "--schema", "schema.json")
        return tool
    }

    /// Puts a record of the type Log, as a program would.
    static func putLog(_ number: Int, in transaction: inout WriteTransaction) throws {
        let catalog = transaction._reading.catalog
        let index = try catalog.requireTypeIndex(named: "Log")
        let members = [
            JSONMember("number", .number(JSONNumber(number))), JSONMember("text", .string("line \(number)")),
        ]
        let values = try DynamicFields.values(from: members, for: catalog.types[index].type.fields.map(\.schema))
        _ = try transaction.put(DynamicRecord(values: values), typeIndex: index, mode: .upsert)
    }
}
