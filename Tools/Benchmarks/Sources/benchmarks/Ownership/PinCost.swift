import ModelStore
import OpenCombine

/// Measures the cost of a pin and its release, beside an OpenCombine subscription and its cancellation.
struct PinCost {
    private final class Thing: Sendable {}

    func run() throws {
        let registry = OwnershipRegistry()
        let thing = Thing()
        let count = 100_000
        let pin = OperationTime(of: count) {
            for _ in 0..<count { registry.pin(thing).release() }
        }
        var pins: [Pin] = []
        pins.reserveCapacity(count)
        let many = OperationTime(of: count) {
            for _ in 0..<count { pins.append(registry.pin(Thing())) }
            pins.removeAll(keepingCapacity: true)
        }
        var releases = 0
        // The releases of a round are also timed separately, within the round.
        let pinning = OperationTime(of: count) {
            for _ in 0..<count { pins.append(registry.pin(thing)) }
            let begin = Monotonic.nanoseconds
            for pin in pins { pin.release() }
            releases += Monotonic.nanoseconds - begin
            pins.removeAll(keepingCapacity: true)
        }
        let releasing = Double(releases) / Double(10 * count)
        let subject = PassthroughSubject<Int, Never>()
        let sink = OperationTime(of: count) {
            for _ in 0..<count { subject.sink { _ in }.cancel() }
        }
        print("a pin and its release: \(number(pin)) ns, of an object each \(number(many)) ns;", terminator: " ")
        print("many on one object \(number(pinning)) ns, of which the release \(Int(releasing)) ns;", terminator: " ")
        print("OpenCombine's sink and cancel \(number(sink)) ns, \(ratio(sink, pin)) times that")
    }

    private func number(_ time: OperationTime) -> String { "\(Int(time.nanoseconds))" }
    private func ratio(_ one: OperationTime, _ other: OperationTime) -> String {
        TablePrinter.number(one.nanoseconds / other.nanoseconds)
    }
}
