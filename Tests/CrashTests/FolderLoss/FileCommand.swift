import ChildPrograms
import Foundation

/// A command that makes or changes files of a store, in a folder with all stores that it uses.
enum FileCommand: String, CaseIterable {
    case open, create, importRecords, importNew, backup, compact, restore, restoreNew, migrate

    private static let originalName = "original"
    private static let copyName = "copy"
    private static let recordCount = 300

    /// The names of the stores in the folder.
    var stores: [String] {
        switch self {
        case .backup, .compact, .restore, .restoreNew: [Self.originalName, Self.copyName]
        default: [Self.originalName]
        }
    }

    /// Whether a store whose making was interrupted cannot be read before the command runs again.
    var completesUnfinishedStores: Bool { self == .open }

    /// Whether the command may fail when it runs again on stores with these contents. An interrupted import into a new store may
    /// leave the store without records. With a schema, the command then refuses the store, because it is not new.
    func mayRefuse(_ found: [String: String], _ failure: String, _ making: Making) -> Bool {
        self == .importNew && found[Self.originalName] == making.empty && failure.contains("already holds a store")
    }

    /// A moment of the command, from a text of its output on.
    struct Stage {
        let mark: String
        /// The allowed contents of each store from then on, as `CrashWorker contents` prints them.
        let allowed: [String: Set<String>]
    }

    private var acknowledgement: String {
        switch self {
        case .open: "done"
        case .create, .importNew: "created"
        case .importRecords: "imported"
        case .backup, .compact: "wrote"
        case .restore, .restoreNew: "restored"
        case .migrate: "migrated"
        }
    }

    /// Returns the allowed contents of each store until the first stage.
    func allowed(before: [String: String], after: [String: String], while making: Making) -> [String: Set<String>] {
        var allowed: [String: Set<String>] = [:]
        for name in stores { allowed[name] = [before[name] ?? "", after[name] ?? ""] }
        if self == .open || self == .importNew { allowed[Self.originalName]?.insert(making.empty) }
        return allowed
    }

    /// Returns the stages of the command.
    func stages(after: [String: String], while making: Making) -> [Stage] {
        var stages: [Stage] = []
        if self == .open {
            let full = after[Self.originalName] ?? ""
            stages.append(Stage(mark: "open", allowed: [Self.originalName: [making.empty, full]]))
        }
        stages.append(Stage(mark: acknowledgement, allowed: after.mapValues { [$0] }))
        return stages
    }

    /// The content of a store that the command makes, before it has records.
    struct Making {
        var empty = ""
    }

    /// Makes the files that the command needs.
    func prepare(_ folder: String, input: String) throws {
        try Self.schema(version: 1).write(toFile: input + "/schema.json", atomically: true, encoding: .utf8)
        try Self.schema(version: 2).write(toFile: input + "/newer.json", atomically: true, encoding: .utf8)
        for (name, numbers) in [("first", 0..<Self.recordCount), ("second", 200..<200 + Self.recordCount)] {
            let lines = numbers.map { #"{"id": \#($0), "room": "room \#($0 % 7)", "text": "\#(name) \#($0)"}"# }
            try lines.joined(separator: "\n").write(
                toFile: input + "/\(name).jsonl", atomically: true, encoding: .utf8)
        }
        guard self != .open, self != .create, self != .importNew else { return }
        let original = folder + "/" + Self.originalName
        try Self.run("--store", original, "create", "--schema", input + "/schema.json")
        try Self.run("--store", original, "import", "Sensor", input + "/first.jsonl")
        guard self == .restore || self == .restoreNew else { return }
        try Self.run("--store", original, "backup", folder + "/" + Self.copyName)
        if self == .restoreNew {
            try FileManager.default.removeItem(atPath: original)
        } else {
            try Self.run("--store", original, "import", "Sensor", input + "/second.jsonl")
        }
    }

    /// Makes the store of ``Making/empty``.
    func prepareEmpty(_ folder: String, input: String) throws {
        let path = folder + "/" + Self.originalName
        switch self {
        case .open: try Self.open(path, fills: false, [:])
        default: try Self.run("--store", path, "create", "--schema", input + "/schema.json")
        }
    }

    /// Runs the command.
    ///
    /// - Throws: ``Command/Failed`` if it fails.
    func run(_ folder: String, input: String, environment: [String: String] = [:]) throws {
        let path = folder + "/" + Self.originalName
        let copy = folder + "/" + Self.copyName
        if self == .open { return try Self.open(path, fills: true, environment) }
        let words: [String] =
            switch self {
            case .open: []
            case .create: ["create", "--schema", input + "/schema.json"]
            case .importRecords: ["import", "Sensor", input + "/second.jsonl"]
            case .importNew:
                ["import", "Sensor", input + "/first.jsonl", "--create", "--schema", input + "/schema.json"]
            case .backup: ["backup", copy]
            case .compact: ["compact", copy]
            case .restore, .restoreNew: ["restore", copy]
            case .migrate: ["migrate", "--schema", input + "/newer.json"]
            }
        try Command.run(BuiltProgram.path("store-cli"), ["--store", path] + words, environment: environment)
    }

    private static func run(_ words: String...) throws {
        try Command.run(BuiltProgram.path("store-cli"), words)
    }

    /// Opens a store as a program does, which creates it, and writes records.
    private static func open(_ path: String, fills: Bool, _ environment: [String: String]) throws {
        let program = try VersionWorker.start("1", path, environment: environment)
        guard program.nextLine() == "open", !fills || program.ask("fill \(recordCount)") == "done" else {
            throw Command.Failed(description: "the program could not open or fill its store")
        }
        program.endInput()
        guard try program.wait() == .exit(0) else { throw Command.Failed(description: "the program failed") }
    }

    private static func schema(version: Int) -> String {
        let added = version == 1 ? "" : #", {"name": "level", "type": "int32", "default": {"value": 3}}"#
        return """
            {"types": [{"name": "Sensor", "id": ["id"], "fields": [
              {"name": "id", "type": "int64"}, {"name": "room", "type": "string"}, {"name": "text", "type": "string"}\(added)],
             "indexes": [{"fields": ["room"]}\(version == 1 ? "" : #", {"fields": ["level"]}"#)]}]}
            """
    }
}
