import Synchronization
import Testing

/// What ends at the end of a test.
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

    /// Ends all probes, in the order that they were made in.
    func finish(sourceLocation: SourceLocation) async {
        for probe in probes.withLock({ $0 }) { await probe.finish(atTestEnd: sourceLocation) }
    }
}

/// Takes what probes of a task would fail their test with: for the tests of the probes.
struct ProbeLog: Sendable {
    @TaskLocal static var current: ProbeLog?

    let note: @Sendable (_ message: String) -> Void
}
