import ArgumentParser
import Livepage

/// In a function, because top-level code would call the form of `main` that runs nothing asynchronous.
func run() async { await LivepageCommand.main() }

await run()
