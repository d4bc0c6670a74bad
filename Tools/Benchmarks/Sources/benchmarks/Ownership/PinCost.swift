import ModelStore
import OpenCombine

/// What a pin and its release cost, beside a subscription of OpenCombine and its cancelling.
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
        let subject = PassthroughSubject<Int, Never>()
        let sink = OperationTime(of: count) {
            for _ in 0..<count { subject.sink { _ in }.cancel() }
        }
        print("a pin and its release: \(number(pin)) ns, of an object each \(number(many)) ns;", terminator: " ")
        print("OpenCombine's sink and cancel \(number(sink)) ns, \(ratio(sink, pin)) times that")
    }

    private func number(_ time: OperationTime) -> String { "\(Int(time.nanoseconds))" }
    private func ratio(_ one: OperationTime, _ other: OperationTime) -> String {
        TablePrinter.number(one.nanoseconds / other.nanoseconds)
    }
}
