import ModelStore
import OpenCombine

/// Measures the cost of opening and closing a scope, empty and with the content of a connection.
struct ScopeCost {
    private final class Thing: Sendable {}

    func run() async throws {
        let registry = OwnershipRegistry()
        let app = registry.scope("app")
        let count = 20_000
        let empty = try OperationTime(of: count) {
            for _ in 0..<count { try app.child("connection").close() }
        }
        let things = (0..<10).map { _ in Thing() }
        let full = try OperationTime(of: count) {
            for _ in 0..<count {
                let scope = try app.child("connection")
                for thing in things { try scope.borrow(thing) }
                try scope.onClose {}
                scope.close()
            }
        }
        let subjects = (0..<10).map { _ in PassthroughSubject<Int, Never>() }
        let cancellables = OperationTime(of: count) {
            for _ in 0..<count {
                var set: Set<AnyCancellable> = []
                for subject in subjects { subject.sink { _ in }.store(in: &set) }
                set.removeAll()
            }
        }
        print(
            "a scope opened and closed: \(Int(empty.nanoseconds)) ns, with ten borrowed objects and a handler "
                + "\(Int(full.nanoseconds)) ns; OpenCombine's ten sinks in a set "
                + "\(TablePrinter.number(cancellables.nanoseconds / full.nanoseconds)) times that")
    }
}
