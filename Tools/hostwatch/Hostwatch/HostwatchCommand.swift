public import ArgumentParser
import ModelStore

/// The command `hostwatch`.
public struct HostwatchCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "hostwatch",
        abstract: "Mirror this machine's packages, processes, mounts and network interfaces as records of a store.",
        discussion: """
            Each snapshot is one change set: what is new is inserted, what changed is updated in just its changed \
            fields, what is gone is deleted. Look at the result with store-cli.
            """)

    @Option(name: .long, help: "The store's directory, created when missing.")
    var store: String

    @Flag(name: .long, help: "Take one snapshot and end.")
    var once = false

    @Flag(name: .long, help: "Say what the mirror knows of large packages, memory and full file systems.")
    var report = false

    public init() {}

    public func validate() throws {
        guard once || report else {
            throw ValidationError("name --once, --report or both: hostwatch takes one snapshot at a time")
        }
    }

    public func run() throws {
        let mirror = try HostMirror(directory: store)
        defer { mirror.close() }
        if once { try takeSnapshot(mirror) }
        if report { print(try mirror.report().text) }
    }

    private func takeSnapshot(_ mirror: HostMirror) throws {
        let committed = try mirror.apply(try HostReader().read())
        let report = committed.result
        print("packages    \(line(report.packages))")
        print("processes   \(line(report.processes))")
        print("mounts      \(line(report.mounts))")
        print("interfaces  \(line(report.interfaces))")
        print("position    \(committed.position.sequence)")
    }

    private func line(_ count: Mirror.Count) -> String {
        "\(count.inserted) new, \(count.updated) changed, \(count.deleted) gone, \(count.unchanged) as before"
    }
}
