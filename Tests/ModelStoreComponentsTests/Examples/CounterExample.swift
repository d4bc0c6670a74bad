import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

// The container: it has its own counter and two children that create their models inline, one with each wrapper.

/// The log of the example's objects and components. It is global, because inline default values cannot take a test's own log.
private let log = Journal()

private final class CounterModel: ObservableObject, Sendable {
    @Published var count = 0
    private let name: String

    init(_ name: String) {
        self.name = name
        log.add("created \(name)")
    }

    deinit { log.add("destroyed \(name)") }
}

/// The buttons of the user interface.
private struct Buttons: Sendable {
    let container = Subject<Binding<Int>?>(nil)
    let observed = Subject<Binding<Int>?>(nil)
    let owned = Subject<Binding<Int>?>(nil)
}

@Component
private struct ContainerView {
    let buttons: Buttons
    @State private var count = 0

    init(_ buttons: Buttons) { self.buttons = buttons }

    func update(_ context: inout ComponentContext) {
        log.add("container \(count)")
        context.place(ObservedCounter(buttons: buttons))
        context.place(OwnedCounter(buttons: buttons))
        let press = $count
        context.onAppear { buttons.container.send(press) }
    }
}

@Component
private struct ObservedCounter {
    let buttons: Buttons
    @ObservedObject var model = CounterModel("observed")

    func update(_ context: inout ComponentContext) {
        log.add("observed \(model.count)")
        let press = $model.count
        context.onAppear { buttons.observed.send(press) }
    }
}

@Component
private struct OwnedCounter {
    let buttons: Buttons
    @StateObject var model = CounterModel("owned")

    func update(_ context: inout ComponentContext) {
        log.add("owned \(model.count)")
        let press = $model.count
        context.onAppear { buttons.owned.send(press) }
    }
}

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct CounterExample {
    private let buttons = Buttons()

    @Test func `the container's update starts the observed counter over, and keeps the owned one`() async throws {
        _ = log.take()
        let notices = try await Scene.run { scene in
            try await scene.scope.withChild("window") { window in
                let host = try await window.host { ContainerView(buttons) }
                func press(_ button: KeyPath<Buttons, Subject<Binding<Int>?>>) async throws -> [String] {
                    buttons[keyPath: button].value?.update { $0 += 1 }
                    try await host.settle()
                    return log.take()
                }
                #expect(
                    log.take() == ["container 0", "created observed", "observed 0", "created owned", "owned 0"])
                #expect(try await press(\.observed) == ["observed 1"])
                #expect(try await press(\.observed) == ["observed 2"])
                #expect(try await press(\.owned) == ["owned 1"])
                // A binding keeps its object alive, so the test drops the bindings.
                buttons.observed.send(nil)
                buttons.owned.send(nil)
                for number in 1...2 {
                    #expect(
                        try await press(\.container) == [
                            "container \(number)", "created observed", "destroyed observed", "observed 0",
                        ])
                }
            }
            #expect(log.take() == ["destroyed owned", "destroyed observed"])
        }
        // One notice, with the line of the declaration.
        #expect(notices.all.map(\.code) == [.unowned])
        #expect(notices.all.first?.line?.file.hasSuffix("CounterExample.swift") == true)
    }
}
