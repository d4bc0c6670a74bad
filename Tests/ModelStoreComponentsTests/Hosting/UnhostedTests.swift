import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

@Component
private struct Loose {
    static let firstLine = #line + 1
    @State var count = 0
    @StateObject var thing = Thing(Journal(), Numbers())
    @Environment(\.scale) var scale
    @ObservedPublisher(Subject(3).values) var shown = 7
    @FetchRequest(Sensor.where { $0.celsius > 0 }) var sensors: LiveRecords<Sensor>
    @Draft var text: String

    init(_ order: StateStore<Int, Int>) { _text = Draft(order, \.self) { $0 } }

    func update(_ context: inout ComponentContext) throws {
        _ = (thing.count, scale, shown, sensors.count, text)
        guard count == 0 else { return }
        count = 1
        text = "5"
    }
}

/// Properties of components in values that nothing hosts.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct UnhostedTests {
    private static func order() -> StateStore<Int, Int> { StateStore(0) { (state, action: Int) in state = action } }

    private static func registry(_ notices: Notices) -> OwnershipRegistry {
        var options = OwnershipOptions()
        options.onNotice = { notices.add($0) }
        return OwnershipRegistry(options: options)
    }

    @Test func `a property that is used without a host is a notice with its line, once for each line`() async throws {
        let notices = Notices()
        try await Self.registry(notices).withScope("app") { scope in
            let loose = Loose(Self.order())
            for _ in 0..<2 {
                loose.count = 5
                #expect(loose.count == 0 && loose.$count.wrappedValue == 0)
                _ = (loose.thing, loose.scale, loose.sensors)
                #expect(loose.shown == 7 && loose.text == "0")
                loose.text = "12"
                #expect(loose.text == "0")
            }
            let all = notices.all
            #expect(all.allSatisfy { $0.code == .unhosted && $0.scope == scope.path })
            #expect(
                all.map { $0.message.prefix { $0 != " " } } == [
                    "@State", "@StateObject", "@Environment", "@FetchRequest", "@ObservedPublisher", "@Draft",
                ])
            let lines = all.compactMap { $0.line?.line }.map { $0 - Loose.firstLine }
            #expect(lines == [0, 1, 2, 4, 3, 7])
            #expect(all.first?.line?.file == "ModelStoreComponentsTests/UnhostedTests.swift")
        }
    }

    @Test func `hosted properties are silent`() async throws {
        let notices = Notices()
        var options = StoreOptions()
        options.ownership.onNotice = { notices.add($0) }
        let store = try Store.temporary(records: Sensor.self, options: options)
        let order = Self.order()
        try await store.withScope("app") { scope in
            let host = try await scope.host { Loose(order) }
            try await host.settle()
        }
        #expect(notices.of(.unhosted).isEmpty)
    }

    @Test func `outside of scopes, the notice is a line on standard error`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let loose = Loose(UnhostedTests.order())
            loose.count = 5
            loose.count = 6
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("@State ") }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("ModelStore: warning: @State was used in a component without a host") == true)
        #expect(lines.first?.hasSuffix("(ModelStoreComponentsTests/UnhostedTests.swift:\(Loose.firstLine))") == true)
    }
}
