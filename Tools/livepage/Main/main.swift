import ArgumentParser
import Livepage

/// In a function: top-level code would take the form of `main` that runs nothing asynchronous.
func run() async { await LivepageCommand.main() }

await run()
