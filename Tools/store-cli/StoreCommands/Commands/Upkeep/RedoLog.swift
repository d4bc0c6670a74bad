import ArgumentParser
import StoreEngine
import StoreRuntime

/// `redo-log`: turns the redo log of a store on or off.
struct RedoLog: ParsableCommand {
    enum Setting: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    static let configuration = CommandConfiguration(
        commandName: "redo-log",
        abstract: "Turns the redo log of a store on or off, if no program has the store open.",
        discussion: """
            With the log, a durable commit costs one sync instead of two, and the store has format 3. Without it, the \
            data file alone is the store, and earlier versions of ModelStore open it. `stat` shows the log.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "on or off") var setting: Setting

    func run() throws {
        let path = try options.requireStore()
        try StoreAccess.requireReachable(path)
        try RedoLogSwitch.turn(isOn: setting == .on, at: path, options: StoreAccess.options(path))
        StandardError.writeLine("the redo log of \(path) is \(setting)")
    }
}
