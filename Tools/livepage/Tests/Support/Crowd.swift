import Foundation
@testable import Livepage

/// Clients that connect, read a bit, and leave in a way that the seed decides.
struct Crowd {
    private enum Client {
        case socket(Socket)
        case program(Program)
    }

    private let service: Service
    private var random: SeededGenerator
    private var clients: [Client] = []
    private var ways: [String: Int] = [:]

    init(_ service: Service, seed: UInt64) {
        self.service = service
        random = SeededGenerator(seed: seed)
    }

    /// The number of clients for each way of leaving.
    var summary: String { ways.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ") }

    /// Connects and drops `count` clients. The last ones leave together.
    mutating func run(count: Int, mostAtATime: Int) throws {
        for _ in 0..<count {
            clients.append(try come())
            // Sometimes many leave at once.
            let rest = Int.random(in: 0..<50, using: &random) == 0 ? mostAtATime / 4 : mostAtATime
            while clients.count > Int.random(in: 0...rest, using: &random) { try go() }
            if Int.random(in: 0..<20, using: &random) == 0 {
                try service.set("hall-3", to: .random(in: 0...40, using: &random))
            }
        }
        while !clients.isEmpty { try go() }
    }

    private mutating func come() throws -> Client {
        let path =
            [
                "/events/readings", "/events/rooms", "/events/readings?room=kitchen",
                "/events/readings?room=attic&above=10",
                "/events/readings?above=\(Int.random(in: 0..<40, using: &random))",
            ].randomElement(using: &random) ?? ""
        if Int.random(in: 0..<10, using: &random) == 0 {
            let address = "http://127.0.0.1:\(service.port)\(path)"
            return .program(
                try Program("/usr/bin/curl", ["--silent", "--no-buffer", "--output", "/dev/null", address]))
        }
        // A small buffer fills up if the client does not read.
        let socket = try Socket(port: service.port, receiveByteCount: Bool.random(using: &random) ? 4_096 : nil)
        let request = HTTP.head("GET", path)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: break
        case 1: try socket.send(String(request.prefix(Int.random(in: 1..<request.count, using: &random))))
        default: try socket.send(request)
        }
        if Bool.random(using: &random) { _ = try? socket.receive(seconds: 0.01) }
        return .socket(socket)
    }

    private mutating func go() throws {
        let client = clients.remove(at: Int.random(in: 0..<clients.count, using: &random))
        let way: String
        switch client {
        case .program(let program):
            way = "killed"
            program.kill()
        case .socket(let socket):
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                way = "reset"
                socket.reset()
            case 1:
                way = "finished"
                socket.finish()
                // The service must end the connection by itself, whatever it sends after that.
                _ = try? socket.receive(seconds: 0.01)
            case 2:
                way = "vanished"
                // Without the permission to vanish, the socket is closed.
                do { try socket.vanish() } catch { socket.close() }
            default:
                way = "closed"
                socket.close()
            }
        }
        ways[way, default: 0] += 1
    }
}
