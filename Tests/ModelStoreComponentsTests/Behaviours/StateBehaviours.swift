import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private struct Shop: Sendable {
    struct Basket: Sendable, Equatable {
        var items: [String] = []
        var note = ""
    }

    var user = "nobody"
    var basket = Basket()
    var visits = 0
}

private enum ShopAction: Sendable {
    case rename(String)
    case put(String)
    case note(String)
    case visit
    case nothing
}

private func shop() -> StateStore<Shop, ShopAction> {
    StateStore(Shop()) { state, action in
        switch action {
        case .rename(let name): state.user = name
        case .put(let item): state.basket.items.append(item)
        case .note(let text): state.basket.note = text
        case .visit: state.visits += 1
        case .nothing: break
        }
    }
}

@Component
private struct ShopView {
    let shop: StateStore<Shop, ShopAction>
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        journal.add("shop")
        context.place(Reader(name: "user", journal: journal) { [shop] in shop.user })
        context.place(
            Reader(name: "items", journal: journal) { [shop] in "\(shop[dynamicMember: \.basket.items].count)" })
        context.place(Reader(name: "visits", journal: journal) { [shop] in "\(shop.visits)" })
    }
}

@Component
private struct Reader {
    let name: String
    let journal: Journal
    let read: () -> String

    func update(_ context: inout ComponentContext) { journal.add("\(name) \(read())") }
}

@Component
private struct Form {
    let journal: Journal
    let handed: Subject<Binding<Int>?>
    @State var count = 10
    @State var pair = Pair()

    struct Pair: Sendable, Equatable {
        var left = 1
        var right = 2
    }

    func update(_ context: inout ComponentContext) {
        journal.add("form")
        context.place(Stepper(journal: journal, name: "count", value: $count))
        context.place(Stepper(journal: journal, name: "left", value: $pair.left))
        let count = $count
        context.onAppear { [handed] in handed.send(count) }
    }
}

@Component
private struct Stepper {
    let journal: Journal
    let name: String
    @Binding var value: Int

    init(journal: Journal, name: String, value: Binding<Int>) {
        self.journal = journal
        self.name = name
        _value = value
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(name) \(value)")
        if name == "left", value < 3 { value += 1 }
    }
}

@Component
private struct Climate {
    let journal: Journal
    let outer: Subject<Double>
    let inner: Subject<Double?>

    func update(_ context: inout ComponentContext) {
        journal.add("climate")
        let outer = outer.value
        let inner = inner.value
        context.place(Scaled(journal: journal, name: "plain"), id: "plain") { $0[\.scale] = outer }
        context.place(Between(journal: journal, inner: inner), id: "between") { $0[\.scale] = outer }
        context.place(Unscaled(journal: journal))
    }
}

/// Always equal to its previous value, so only changes of the values that it reads update it.
@Component
private struct Between: Equatable {
    let journal: Journal
    let inner: Double?

    static func == (left: Between, right: Between) -> Bool { left.inner == right.inner }

    func update(_ context: inout ComponentContext) {
        journal.add("between")
        let inner = inner
        context.place(Scaled(journal: journal, name: "deep")) { if let inner { $0[\.scale] = inner } }
    }
}

@Component
private struct Scaled: Equatable {
    let journal: Journal
    let name: String
    @Environment(\.scale) var scale

    static func == (left: Scaled, right: Scaled) -> Bool { left.name == right.name }

    func update(_ context: inout ComponentContext) { journal.add("\(name) \(scale)") }
}

@Component
private struct Unscaled: Equatable {
    let journal: Journal
    static func == (left: Unscaled, right: Unscaled) -> Bool { true }

    func update(_ context: inout ComponentContext) { journal.add("unscaled") }
}

@Component
private struct Provider {
    let journal: Journal
    let thing: Subject<Thing?>

    func update(_ context: inout ComponentContext) {
        let thing = thing.value
        context.place(Asker(journal: journal)) { if let thing { $0.provide(thing) } }
    }
}

@Component
private struct Asker: Equatable {
    let journal: Journal
    @EnvironmentObject var thing: Thing

    static func == (left: Asker, right: Asker) -> Bool { true }

    func update(_ context: inout ComponentContext) { journal.add("thing \(thing.number) counts \(thing.count)") }
}

private enum Titles: PreferenceKey {
    static let defaultValue: [String] = []
    static func reduce(value: inout [String], nextValue: () -> [String]) { value += nextValue() }
}

@Component
private struct Collecting {
    let journal: Journal
    let names: Subject<[String]>

    func update(_ context: inout ComponentContext) {
        let journal = journal
        context.onPreferenceChange(Titles.self) { journal.add("titles \($0)") }
        for name in names.value { context.place(Titled(name: name), id: name) }
    }
}

@Component
private struct Titled {
    let name: String
    @State var isLoud = false

    func update(_ context: inout ComponentContext) {
        context.preference(Titles.self, [name])
        if name == "nested" { context.place(Titled(name: "inner")) }
    }
}

@Component
private struct Hot {
    let journal: Journal
    let limit: Subject<Double>

    func update(_ context: inout ComponentContext) {
        context.place(HotList(journal: journal, over: limit.value))
    }
}

@Component
private struct HotList {
    let journal: Journal
    @FetchRequest var hot: LiveRecords<Sensor>

    init(journal: Journal, over limit: Double) {
        self.journal = journal
        _hot = FetchRequest(Sensor.where { $0.celsius > limit }.order { $0.id.ascending })
    }

    func update(_ context: inout ComponentContext) { journal.add("hot \(hot.map(\.id))") }
}

@Component
private struct Wall {
    let journal: Journal
    let celsius: ModelValues<Sensor, Double>
    @ObservedPublisher var unit: String
    @ObservedPublisher var latest: Double
    @Doubled var twice: Int

    init(journal: Journal, unit: Subject<String>, celsius: ModelValues<Sensor, Double>) {
        self.journal = journal
        self.celsius = celsius
        _unit = ObservedPublisher(unit)
        _latest = ObservedPublisher(wrappedValue: 0, celsius)
        _twice = Doubled()
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(latest) \(unit) \(twice)")
        let twice = $twice
        context.onChange(of: unit) { _, _ in twice.wrappedValue += 1 }
    }
}

/// A dynamic property that a program defines.
@propertyWrapper
private struct Doubled: DynamicProperty {
    @State private var half = 1

    mutating func visit(_ slots: inout DynamicPropertyVisitor) { slots.visit(&_half) }
    var wrappedValue: Int { half * 2 }
    var projectedValue: Binding<Int> { $half }
}

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct StateBehaviours {
    @Test func `15 derived state`() async throws {
        let shop = shop()
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { ShopView(shop: shop, journal: journal) }
            #expect(journal.take() == ["shop", "user nobody", "items 0", "visits 0"])
            for (action, expected) in [
                (ShopAction.rename("ann"), ["user ann"]), (.rename("ann"), []), (.put("tea"), ["items 1"]),
                (.note("quick"), []), (.visit, ["visits 1"]), (.nothing, []),
            ] {
                shop.send(action)
                try await host.settle()
                #expect(journal.take() == expected)
            }
            // A binding to one element writes through an action.
            let note = shop.binding(\.basket.note) { .note($0) }
            note.wrappedValue = "soon"
            #expect(shop.content.basket == Shop.Basket(items: ["tea"], note: "soon") && note.wrappedValue == "soon")
            let user = shop.binding(\.user) { .rename($0) }
            user.wrappedValue = "bob"
            try await host.settle()
            #expect(journal.take() == ["user bob"])
            var visits = shop.values(of: \.visits).makeAsyncIterator()
            #expect(await visits.next() == 1)
            shop.send(.visit)
            #expect(await visits.next() == 2)
        }
    }

    @Test func `state is written by bindings, and invalidates who reads it`() async throws {
        let handed = Subject<Binding<Int>?>(nil)
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Form(journal: journal, handed: handed) }
            // The left child raises its own count to 3, one update at a time. The form does not read that count.
            #expect(journal.take() == ["form", "count 10", "left 1", "left 2", "left 3"])
            let count = try #require(handed.value)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { count.update { $0 += 1 } } }
            }
            try await host.settle()
            #expect(journal.take().last == "count 60")
            count.wrappedValue = 60
            try await host.settle()
            #expect(journal.take() == [])
        }
    }

    @Test func `an environment value reaches the subtree below, and changes update its readers there only`()
        async throws
    {
        let outer = Subject(1.5)
        let inner = Subject<Double?>(nil)
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Climate(journal: journal, outer: outer, inner: inner) }
            #expect(journal.take() == ["climate", "plain 1.5", "between", "unscaled", "deep 1.5"])
            outer.send(2)
            try await host.settle()
            #expect(journal.take() == ["climate", "plain 2.0", "deep 2.0"])
            inner.send(9)
            try await host.settle()
            #expect(journal.take() == ["climate", "between", "deep 9.0"])
            outer.send(3)
            try await host.settle()
            #expect(journal.take() == ["climate", "plain 3.0"])
            inner.send(nil)
            try await host.settle()
            #expect(journal.take() == ["climate", "between", "deep 3.0"])
        }
    }

    @Test func `a scope hands values and objects down to scopes and components`() async throws {
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let inner = try scene.scope.child("inner")
            let host = try await inner.host { Scaled(journal: journal, name: "own") }
            #expect(journal.take() == ["own 1.0"])
            try scene.scope.setEnvironment(\.scale, 4)
            try await host.settle()
            #expect(journal.take() == ["own 4.0"] && inner.environment(\.scale) == 4)
            try inner.setEnvironment(\.scale, 5)
            try await host.settle()
            #expect(journal.take() == ["own 5.0"] && scene.scope.environment(\.scale) == 4)

            #expect { try inner.environmentObject(Thing.self) } throws: { error in
                let error = error as? StoreError
                return error?.code == .notProvided
                    && error?.message.contains("Thing is provided to the scope app/inner") == true
            }
            let thing = Thing(journal, scene.numbers)
            try scene.scope.provide(thing)
            #expect(try inner.environmentObject(Thing.self) === thing)
        }
    }

    @Test func `what components have by wrappers, scopes have by functions`() async throws {
        _ = try await Scene.run { scene in
            let registry = scene.store.ownership
            let scope = try scene.scope.child("plain")
            let count = try scope.state("count", 1)
            count.send(2)
            #expect(try scope.state("count", 7) === count && scope.state("other", 7).value == 7)
            let hot = try scope.results(of: Sensor.where { $0.celsius > 25 })
            #expect(registry.whyAlive(hot).pins.map(\.kind) == [.owner])
            let seen = Subject(0)
            try scope.observe { seen.send(try hot.results.count + count.value) }
            for await value in seen.values where value == 2 { break }
            try await scene.set("s0", 30)
            for await value in seen.values where value == 3 { break }
            count.send(9)
            for await value in seen.values where value == 10 { break }
            scope.close()
            #expect(registry.whyAlive(hot).pins.isEmpty)
            #expect(throws: StoreError.self) { try scope.state("late", 1) }
        }
    }

    @Test func `a missing environment object is told with its type and the scope's path, and nothing crashes`()
        async throws
    {
        let provided = Subject<Thing?>(nil)
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Provider(journal: journal, thing: provided) }
            #expect(journal.take() == [])
            let told = scene.notices.of(.missingObject)
            #expect(told.count == 1 && told.first?.scope == "app/Provider/Asker")
            #expect(told.first?.message.hasPrefix("app/Provider/Asker needs a Thing") == true)
            let thing = Thing(journal, scene.numbers)
            provided.send(thing)
            try await host.settle()
            #expect(journal.take() == ["created 1", "thing 1 counts 0"])
            thing.count = 2
            try await host.settle()
            #expect(journal.take() == ["thing 1 counts 2"])
            provided.send(nil)
            try await host.settle()
            thing.count = 3
            try await host.settle()
            #expect(journal.take() == [])
        }
        #expect(notices.all.map(\.code) == [.missingObject])
    }

    @Test func `preferences flow up to who asks, in the order of placing`() async throws {
        let names = Subject(["a", "b"])
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Collecting(journal: journal, names: names) }
            #expect(journal.take() == [#"titles ["a", "b"]"#])
            for (next, told) in [
                (["b", "a"], [#"titles ["b", "a"]"#]),
                (["b", "nested", "a"], [#"titles ["b", "nested", "inner", "a"]"#]),
                (["b", "nested", "a"], []), ([], ["titles []"]),
            ] {
                names.send(next)
                try await host.settle()
                #expect(journal.take() == told)
            }
        }
    }

    @Test func `a fetch request is hosted by the place, and follows what the parent asks for`() async throws {
        let limit = Subject(25.0)
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Hot(journal: journal, limit: limit) }
            #expect(journal.take() == ["hot []"])
            try await scene.set("s1", 30)
            try await host.settle()
            #expect(journal.take() == [#"hot ["s1"]"#])
            try await scene.set("s0", 21)
            try await host.settle()
            #expect(journal.take() == [])
            limit.send(20.5)
            try await host.settle()
            #expect(journal.take() == [#"hot ["s0", "s1"]"#])
            #expect(scene.notices.all.isEmpty)
        }
    }

    @Test func `publishers, changes of values and dynamic properties of one's own`() async throws {
        let unit = Subject("C")
        _ = try await Scene.run { scene in
            let journal = scene.journal
            let celsius = try scene.store.model(Sensor.self, id: "s0").values(of: \.celsius)
            let host = try await scene.scope.host { Wall(journal: journal, unit: unit, celsius: celsius) }
            await journal.until { $0.last == "20.0 C 2" }
            _ = journal.take()
            unit.send("K")
            try await host.settle()
            #expect(journal.take() == ["20.0 K 2", "20.0 K 4"])
            try await scene.set("s0", 33)
            await journal.until { $0.last == "33.0 K 4" }
        }
    }
}
