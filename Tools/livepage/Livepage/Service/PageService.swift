import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import ModelStore
import ModelStoreEvents
import ModelStoreService
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The page, its streams of events and the report, on an HTTP port.
struct PageService: Sendable {
    let house: House
    let host: String
    /// The port; 0 for any free port.
    let port: Int
    /// Further names by which browsers reach the service.
    let allowedHosts: [String]
    /// The time of silence after which a client is sent a comment. A client that receives nothing for twice this time is
    /// disconnected.
    let heartbeat: Duration
    /// How long a session lasts without a stream of events.
    let grace: Duration
    let logger: Logger

    /// How long requests in progress may take after a shutdown was requested.
    private static let shutdownLimit = Duration.seconds(10)
    /// The number of heartbeats after which a connection without a request is closed.
    private static let idleHeartbeats = 4

    /// Runs until a signal or a failure ends it, and then closes the store.
    func run() async throws {
        let app = try house.store.scope("livepage")
        var configuration = ServiceGroupConfiguration(
            // Services end from the last to the first: connections with their scopes, the server, the store.
            services: [StoreService(house.store), application(app), ScopeService(app)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
        try await ServiceGroup(configuration: configuration).run()
    }

    private func application(_ app: Scope) -> some Service {
        var http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [PeerTimeout(heartbeat * 2)],
            idleTimeout: TimeAmount(heartbeat * Self.idleHeartbeats))
        http.httpDecoder.maxHeaderListSize = 16 << 10
        return Application(
            router: router(app), server: .http1(configuration: http),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { [host, port] channel in
                print("livepage is at http://\(host):\(channel.localAddress?.port ?? port)/")
                // Flushed, because readers of a file or a pipe wait for the line.
                fflush(nil)
            }, logger: logger)
    }

    private func router(_ app: Scope) -> Router<PageContext> {
        var options = EventOptions()
        options.heartbeat = heartbeat
        let connections = Connections(in: app)
        let sessions = Sessions(in: app, grace: grace)
        let router = Router(context: PageContext.self)
        router.add(middleware: OwnPagesOnly(hosts: OwnHosts(listeningOn: host, others: allowedHosts)))
        router.add(middleware: StoreErrors())
        PageRoutes().add(to: router)
        EventRoutes(store: house.store, connections: connections, options: options, logger: logger).add(to: router)
        ChangeRoutes(house: house).add(to: router)
        BoardRoutes(sessions: sessions, connections: connections, heartbeat: heartbeat).add(to: router)
        ReportRoutes(store: house.store, connections: connections, sessions: sessions).add(to: router)
        return router
    }
}
