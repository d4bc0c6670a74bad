#if ServiceLifecycle && Logging && Metrics
// The example of the article Services, without its `@main`. The tidiness tests compare the two.
import Logging
import Metrics
import ModelStore
import ModelStoreService
import ServiceLifecycle
import UnixSignals

struct Shop {
    static func main() async throws {
        let logger = Logger(label: "shop")
        let metrics = StoreMetrics(name: "shop")  // after MetricsSystem.bootstrap

        var options = StoreOptions()
        options.logEvents(to: logger)
        options.countEvents(with: metrics)
        let store = try await Store.open(at: "/var/lib/shop", records: Sale.self, Total.self, options: options)

        let consumers = ConsumerService(store) { name, options in
            options.logEvents(of: name, to: logger)
            options.countEvents(of: name, with: metrics)
        }
        // Effects in the store: exactly once.
        .consuming("totals") { set, tx in
            for change in try set.changes(of: Sale.self) { try add(change, to: &tx) }
        }
        // Effects elsewhere: at least once.
        .consuming("mailer") { set in
            for change in try set.changes(of: Sale.self) { try await mail(change, key: change.idempotencyKey) }
        }

        let group = ServiceGroup(
            services: [StoreService(store, after: [consumers]), StoreMetricsService(store, metrics), server],
            gracefulShutdownSignals: [.sigterm], logger: logger)
        try await group.run()
    }
}

// Declarations that the example assumes.

private func add(_ change: Change<Sale>, to tx: inout WriteTransaction) throws {
    try tx.upsert(Total(id: "\(change.id)", cents: change.after?.cents ?? 0))
}

private func mail(_ change: Change<Sale>, key: String) async throws {}

private struct Server: Service {
    func run() async throws {}
}

private let server = Server()
#endif
