import Foundation

// A program that tests start, kill and query. Its types describe the commands.
let arguments = Array(CommandLine.arguments.dropFirst())
let rest = Array(arguments.dropFirst())
switch arguments.first {
case "write":
    if let writing = Writing(rest) { exit(await writing.run()) }
case "endure":
    if let enduring = Enduring(rest) { exit(await enduring.run()) }
case "update":
    if let updating = Updating(rest) { exit(await updating.run()) }
case "follow":
    if let following = Following(rest) { exit(await following.run()) }
case "fill":
    if let filling = Filling(rest) { exit(await filling.run()) }
case "check":
    exit(Checking().run())
case "contents":
    exit(Contents().run())
case "obey":
    exit(Obeying().run())
default: break
}
print(
    "usage: CrashWorker write <directory> <full|relaxed|mixed> <count> <lane>… | endure <directory> <count>"
        + " | update <directory> <records> <writes> <full|relaxed> <lane> | follow <directory>"
        + " | fill <directory> <greatest size> <lane> <length of a text> <rounds> | check | contents | obey"
)
exit(2)
