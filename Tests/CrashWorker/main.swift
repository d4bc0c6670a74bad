import Foundation

// A program that tests start, kill and query. Its types describe the commands.
let arguments = Array(CommandLine.arguments.dropFirst())
let rest = Array(arguments.dropFirst())
switch arguments.first {
case "write":
    if let writing = Writing(rest) { exit(await writing.run()) }
case "endure":
    if let enduring = Enduring(rest) { exit(await enduring.run()) }
case "check":
    exit(Checking().run())
case "contents":
    exit(Contents().run())
case "obey":
    exit(Obeying().run())
default: break
}
print(
    "usage: CrashWorker write <directory> <full|relaxed|mixed> <count> <lane>… | endure <directory> <count> | check | contents"
        + " | obey"
)
exit(2)
