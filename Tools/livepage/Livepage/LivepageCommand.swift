public import ArgumentParser
import Logging

/// The command `livepage`.
public struct LivepageCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "livepage",
        abstract: "Serve a page whose tables show the records of a store and update by themselves.",
        discussion: """
            The page shows every change to the store, from its own forms and from other programs, such as store-cli \
            set Reading kitchen-1 celsius=30. The address /report lists the objects that each open page keeps alive. \
            SIGINT or SIGTERM ends the service.
            """)

    @Option(name: .long, help: "The store's directory, created if missing.")
    var store: String

    @Option(name: .long, help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(name: .long, help: "The port to listen on; 0 for any free port.")
    var port = 8_080

    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A further name by which browsers reach the service, without a port; may be repeated.", valueName: "name"))
    var allowedHosts: [String] = []

    @Flag(name: .long, help: "Add some rooms and sensors.")
    var demo = false

    @Flag(name: .long, help: "Do not wait for the disk at each change; a power failure may lose the last changes.")
    var relaxed = false

    @Option(
        name: .long,
        help: ArgumentHelp("The time without events after which clients get a comment.", valueName: "seconds"))
    var heartbeat = 15.0

    @Option(name: .long, help: ArgumentHelp("The time within which a tab can reconnect.", valueName: "seconds"))
    var grace = 30.0

    @Flag(name: .long, help: "Log the end of each connection.")
    var verbose = false

    public init() {}

    public func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port), but must be from 0 to 65535")
        }
        guard (0.1...3_600).contains(heartbeat) else {
            throw ValidationError("--heartbeat is \(heartbeat), but must be from 0.1 to 3600 seconds")
        }
        guard (0.1...3_600).contains(grace) else {
            throw ValidationError("--grace is \(grace), but must be from 0.1 to 3600 seconds")
        }
    }

    public func run() async throws {
        var logger = Logger(label: "livepage", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = verbose ? .info : .notice
        let house = try House(directory: store, isRelaxed: relaxed, logger: logger)
        if demo { try await house.addDemo() }
        let service = PageService(
            house: house, host: host, port: port, allowedHosts: allowedHosts, heartbeat: .seconds(heartbeat),
            grace: .seconds(grace),
            logger: logger)
        try await service.run()
    }
}
