import ModelStore
import ModelStoreComponents
import Testing

final class Session: ObservableObject, Sendable {
    @Published var user = "nobody"
    @Published var count: Int
    init(count: Int) { self.count = count }
}

@Component
struct Leaf {
    @State private var taps = 0
    @StateObject var session = Session(count: 3)
    func update(_ context: inout ComponentContext) { _ = taps }
}

@Suite struct OwnerTests {
    @Test func `first`() async throws {
        let session = Session(count: 1)
        session.count += 1
        #expect(session.count == 2)
        var values = session.$user.makeAsyncIterator()
        #expect(await values.next() == "nobody")
        let registry = OwnershipRegistry()
        try await registry.withScope("app") { scope in
            let host = try await scope.host { Leaf() }
            #expect(await host.counters.updateCount == 1)
        }
        #expect(registry.report().isEmpty)
    }
}
