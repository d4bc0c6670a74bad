import Foundation
@testable import Livepage
import ModelStore

/// A service in a process of its own, with a store of its own.
final class Service {
    private(set) var program: Program
    let port: Int
    let http: HTTP
    /// The directory of the store.
    let directory: String

    private let heartbeat: Double
    private let grace: Double

    private static var address: Regex<(Substring, Substring)> { /livepage is at http:\/\/127\.0\.0\.1:([0-9]+)\// }

    /// The path of the program, next to that of the tests.
    private static let path: String = {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let own = link ?? CommandLine.arguments[0]
        let candidates = [own, CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? own]
        return candidates.map { ($0 as NSString).deletingLastPathComponent + "/livepage" }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "livepage"
    }()

    /// Starts the service, with the records of the demonstration.
    ///
    /// - Parameters:
    ///   - heartbeat: the seconds of silence after which clients receive a comment.
    ///   - grace: the seconds that a session lasts without a stream of events.
    init(heartbeat: Double = 1, grace: Double = 1) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "livepage-\(UUID().uuidString)").path
        self.heartbeat = heartbeat
        self.grace = grace
        program = try Self.start(directory, port: 0, heartbeat, grace)
        port = Int(try program.next(Self.address)) ?? 0
        http = HTTP(port: port)
    }

    private static func start(
        _ directory: String, port: Int, _ heartbeat: Double, _ grace: Double
    ) throws -> Program {
        try Program(
            path,
            [
                "--store", directory, "--demo", "--relaxed", "--port", "\(port)", "--verbose",
                "--heartbeat", "\(heartbeat)", "--grace", "\(grace)",
            ])
    }

    /// Ends the service with a signal, and starts it again on the same port.
    ///
    /// - Parameter body: runs in between.
    func restart(_ body: () throws -> Void) throws {
        program.terminate()
        guard try program.wait() == 0 else { throw TooLate(what: "an orderly end; \(program.output)") }
        try body()
        program = try Self.start(directory, port: port, heartbeat, grace)
        _ = try program.next(Self.address)
    }

    deinit {
        program.kill()
        _ = try? program.wait()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Connects a client.
    func client(
        _ path: String = "/events/readings", lastEventID: String? = nil, receiveByteCount: Int32? = nil
    ) throws -> EventClient {
        try EventClient(port: port, path, lastEventID: lastEventID, receiveByteCount: receiveByteCount)
    }

    /// Sets the temperature of a sensor, as the page's form does.
    func set(_ sensor: String, to celsius: Double) throws {
        let answer = try http.post("/readings", "sensor=\(sensor)&celsius=\(celsius)")
        guard answer.status == 204 else { throw TooLate(what: "a change; the answer was \(answer)") }
    }

    /// Opens the store in this process too.
    func openStore() throws -> Store {
        var options = StoreOptions()
        options.durability = .relaxed
        return try Store(at: directory, records: Room.self, Reading.self, options: options)
    }

    // MARK: The state of the service

    /// Returns the report of the service's ownership registry.
    func report() throws -> OwnershipReport {
        try JSONDecoder().decode(OwnershipReport.self, from: Data(try http.get("/report.json").body.utf8))
    }

    /// Returns the paths of the scopes of connections.
    func connections() throws -> [String] { try report().scopes.map(\.path).filter { $0.contains("/connection ") } }

    /// Waits until no client is connected, and checks that the clients left no objects behind.
    func waitUntilEmpty(seconds: Double = 30) throws -> OwnershipReport {
        var last: OwnershipReport?
        do {
            try TestRun.wait("a report without connections", seconds: seconds) {
                last = try report()
                return last?.scopes.count == 1 && last?.objects.isEmpty == true
            }
        } catch let error as TooLate {
            throw TooLate(what: "\(error.what); it says \(last.map { "\($0)" } ?? "nothing")")
        }
        return try report()
    }

    /// Waits until the number of open files and sockets is back to that of the start. The limit allows for the store's files that
    /// are opened on demand, and for one request.
    func waitUntilIdle(descriptorCount count: Int) throws {
        try TestRun.wait("\(count) open files and sockets", seconds: 60) { try descriptorCount() <= count + 4 }
    }

    /// The notices of the registry in the service's log. Each of them is a fault.
    var notices: [String] { program.output.filter { $0.contains(" warning ") || $0.contains(" error ") } }

    /// Returns the process's anonymous memory in RAM.
    func anonymousByteCount() throws -> Int { try status("RssAnon") * 1_024 }

    /// Returns the number of threads.
    func threadCount() throws -> Int { try status("Threads") }

    /// Returns the number of open files and sockets.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.processID)/fd").count
    }

    private func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
