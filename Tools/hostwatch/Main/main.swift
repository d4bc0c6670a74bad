import ArgumentParser
import Hostwatch

/// In a function: top-level code would take the form of `main` that runs nothing asynchronous.
func run() async { await HostwatchCommand.main() }

await run()
