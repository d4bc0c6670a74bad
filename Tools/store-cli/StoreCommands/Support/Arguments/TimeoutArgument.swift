import ArgumentParser

/// A time in seconds on the command line, such as `2` or `0.5`.
struct TimeoutArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let seconds = Double(argument), seconds >= 0, seconds <= 1_000_000 else { return nil }
        duration = .seconds(seconds)
    }

    static var defaultCompletionKind: CompletionKind { .default }
}
