import StoreEngine
import StoreRuntime

/// Writes each change as an event for other programs, on a line of its own.
struct FeedEventLines: FeedPrinter {
    private let name: String
    private let output: StandardOutput

    init(name: String, to output: StandardOutput) {
        self.name = name
        self.output = output
    }

    func append(_ changeSet: ChangeSet) throws {
        for event in try changeSet.events(named: name) { try output.write(event.json + "\n") }
    }

    func endChangeSet() {}

    func flush() {}

    func finish() {}
}
