import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

// The app's settings: one object that the outermost component owns. Every component below can request it by its type.

private let log = Journal()

private final class UserSettings: ObservableObject, Sendable {
    @Published var score = 0
    @Published var name = "nobody"

    init() { log.add("created settings") }

    deinit { log.add("destroyed settings") }
}

@Component
private struct AppView {
    let handed: Subject<Binding<Int>?>
    @StateObject var settings = UserSettings()

    init(_ handed: Subject<Binding<Int>?>) { self.handed = handed }

    func update(_ context: inout ComponentContext) {
        log.add("app")
        let settings = settings
        context.place(ContentView(handed: handed)) { $0.provide(settings) }
    }
}

@Component
private struct ContentView {
    let handed: Subject<Binding<Int>?>
    @EnvironmentObject var settings: UserSettings

    func update(_ context: inout ComponentContext) {
        log.add("content")
        // The component in between does not know the settings.
        context.place(DetailPage())
        let press = $settings.score
        context.onAppear { handed.send(press) }
    }
}

@Component
private struct DetailPage {
    func update(_ context: inout ComponentContext) {
        log.add("page")
        context.place(DetailView())
        context.place(NameView())
    }
}

@Component
private struct DetailView {
    @EnvironmentObject var settings: UserSettings

    func update(_ context: inout ComponentContext) { log.add("score \(settings.score)") }
}

@Component
private struct NameView {
    @EnvironmentObject var settings: UserSettings

    func update(_ context: inout ComponentContext) { log.add("name \(settings.name)") }
}

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct SettingsExample {
    @Test func `one object serves the whole app, and a change updates the components that read it`() async throws {
        _ = log.take()
        let handed = Subject<Binding<Int>?>(nil)
        let notices = try await Scene.run { scene in
            try await scene.scope.withChild("app") { app in
                let host = try await app.host { AppView(handed) }
                #expect(log.take() == ["created settings", "app", "content", "page", "score 0", "name nobody"])
                for number in 1...3 {
                    handed.value?.update { $0 += 1 }
                    try await host.settle()
                    #expect(log.take() == ["score \(number)"])
                }
                let settings = scene.store.ownership.report().objects.filter { $0.type == "UserSettings" }
                #expect(settings.count == 1 && settings.first?.pins.map(\.kind).contains(.owner) == true)
                handed.send(nil)
            }
            #expect(log.take() == ["destroyed settings"])
        }
        #expect(notices.all.isEmpty)
    }
}
