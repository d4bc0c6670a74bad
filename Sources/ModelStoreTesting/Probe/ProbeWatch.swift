import Synchronization
import Testing

/// An object that ends with the test.
protocol Finishable: AnyObject, Sendable {
    func finish(atTestEnd sourceLocation: SourceLocation) async
}

extension UpdateProbe: Finishable {}

/// Keeps the probes that a test makes, to end them.
///
/// - `probes` is protected by its mutex.
final class ProbeWatch: Sendable {
    @TaskLocal static var current: ProbeWatch?

    private let probes = Mutex<[any Finishable]>([])

    /// Keeps a probe.
    func add(_ probe: any Finishable) { probes.withLock { $0.append(probe) } }

    /// Ends all probes, in the order in which they were made.
    func finish(sourceLocation: SourceLocation) async {
        for probe in probes.withLock({ $0 }) { await probe.finish(atTestEnd: sourceLocation) }
    }
}

/// Receives the messages with which a task's probes would fail the test: for the tests of the probes.
struct ProbeLog: Sendable {
    @TaskLocal static var current: ProbeLog?

    let note: @Sendable (_ message: String) -> Void
}
