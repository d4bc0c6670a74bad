import ArgumentParser
import Hostwatch

/// In a function, because top-level code would call the form of `main` that runs nothing asynchronous.
func run() async { await HostwatchCommand.main() }

await run()
