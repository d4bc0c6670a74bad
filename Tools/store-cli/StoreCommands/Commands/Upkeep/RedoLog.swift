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
            With the log, a durable commit costs one sync instead of two. Without it, the data file alone is the store. A \
            store of format 1 to 3 has format 3 with the log, and without it format 2, which earlier versions of \
            ModelStore open. A store of format 4 keeps its format. `stat` shows the log and the format.

            If a file of the log is missing or damaged and the store was not closed, the store is refused. With \
            `off --accept-loss` it goes back to the last commit that is whole without the log, and the command says how many \
            commits that gives up. Make a copy of the directory first.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "on or off") var setting: Setting
    @Flag(help: "With off: gives up the commits that a missing or damaged file of the log held.") var acceptLoss = false

    func run() throws {
        let path = try options.requireStore()
        guard !acceptLoss || setting == .off else {
            throw CommandFailure(.usage, "--accept-loss is for `redo-log off`; leave it out")
        }
        try StoreAccess.requireReachable(path)
        let storeOptions = StoreAccess.options(path)
        if acceptLoss {
            switch try RedoLogSwitch.turnOffAcceptingLoss(at: path, options: storeOptions) {
            case 0?: break
            case let count?: StandardError.writeLine("\(count) commits are given up")
            case nil:
                StandardError.writeLine(
                    "commits since the last checkpoint may be given up; the files do not say how many")
            }
        } else {
            try RedoLogSwitch.turn(isOn: setting == .on, at: path, options: storeOptions)
        }
        StandardError.writeLine("the redo log of \(path) is \(setting)")
    }
}
