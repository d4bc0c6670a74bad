import Foundation

// Three versions of one program, which the migration tests run next to each other. See `Program` for the commands.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "1" where arguments.count == 2: exit(Program<Version1.Item>(directory: arguments[1]).run())
case "2" where arguments.count == 2: exit(Program<Version2.Item>(directory: arguments[1]).run())
case "3" where arguments.count == 2: exit(Program<Version3.Item>(directory: arguments[1]).run())
case "plan1" where arguments.count == 2: exit(PlannedProgram(directory: arguments[1], versionCount: 1).run())
case "plan2" where arguments.count == 2: exit(PlannedProgram(directory: arguments[1], versionCount: 2).run())
case "plan3" where arguments.count == 2: exit(PlannedProgram(directory: arguments[1], versionCount: 3).run())
default:
    print("usage: VersionWorker 1|2|3|plan1|plan2|plan3 <directory>")
    exit(2)
}
