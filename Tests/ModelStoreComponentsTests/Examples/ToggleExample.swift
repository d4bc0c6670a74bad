import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

// The toggle: a parent that is updated repeatedly, and a child whose model logs its creation.

private let printed = Journal()

private final class ViewModel: ObservableObject, Sendable {
    let name: String

    init(_ name: String = "nobody") {
        self.name = name
        printed.add("Initialized")
    }

    deinit { printed.add("Gone") }
}

@Component
private struct ToggleView<Child: Component> {
    let isOn: Subject<Bool>
    let child: () -> Child

    func update(_ context: inout ComponentContext) {
        _ = isOn.value
        context.place(child())
    }
}

@Component
private struct ObservingView {
    @ObservedObject var viewModel = ViewModel()

    func update(_ context: inout ComponentContext) { printed.add("Hello, \(viewModel.name)") }
}

@Component
private struct OwningView {
    @StateObject var viewModel = ViewModel()

    func update(_ context: inout ComponentContext) { printed.add("Hello, \(viewModel.name)") }
}

/// An owner whose model needs a value from the parent.
@Component
private struct NamedView {
    @StateObject var viewModel: ViewModel

    init(name: String) { _viewModel = StateObject(wrappedValue: ViewModel(name)) }

    func update(_ context: inout ComponentContext) { printed.add("Hello, \(viewModel.name)") }
}

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct ToggleExample {
    /// Returns the log lines at first, after each of two toggles, and at the end.
    private func log<Child: Component & SendableMetatype>(
        _ child: @escaping @Sendable () -> Child
    ) async throws -> [[String]] {
        _ = printed.take()
        let isOn = Subject(false)
        var logs: [[String]] = []
        try await Scene.run { scene in
            try await scene.scope.withChild("window") { window in
                let host = try await window.host { ToggleView(isOn: isOn, child: child) }
                logs.append(printed.take())
                for _ in 0..<2 {
                    isOn.update { $0.toggle() }
                    try await host.settle()
                    logs.append(printed.take())
                }
            }
        }
        return logs + [printed.take()]
    }

    @Test func `an observed model is initialized with every toggle`() async throws {
        let again = ["Initialized", "Gone", "Hello, nobody"]
        #expect(
            try await log { ObservingView() } == [["Initialized", "Hello, nobody"], again, again, ["Gone"]])
    }

    @Test func `an owned model is initialized once`() async throws {
        // The view declares nothing that a toggle changes, so it is not updated.
        #expect(try await log { OwningView() } == [["Initialized", "Hello, nobody"], [], [], ["Gone"]])
    }

    @Test func `an owned model that needs an argument is initialized once, with the first`() async throws {
        let number = Subject(0)
        let logs = try await log {
            number.update { $0 += 1 }
            return NamedView(name: "\(number.value)")
        }
        #expect(logs == [["Initialized", "Hello, 1"], [], [], ["Gone"]])
    }
}
