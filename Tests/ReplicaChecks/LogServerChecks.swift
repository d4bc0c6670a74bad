import ModelStore
package import ModelStoreReplication
import TestSupport

/// The record that the checks write.
@Record
struct CheckedReading {
    @ID var id: Int
    @Indexed var celsius: Double
}

/// A server that keeps logs, and that a test can crash.
package protocol LogServer: Sendable {
    /// A directory of the test's own, which is removed with the server.
    var path: String { get }
    /// Opens a log of the server by its name.
    func log(_ name: String) async throws -> any SharedLog
    /// Ends the server at once.
    func crash()
    /// Starts the server again.
    func start() throws
}

/// The checks of stores whose log a server keeps. Each throws at its first failure.
package struct LogServerChecks: Sendable {
    private let server: any LogServer

    package init(_ server: some LogServer) { self.server = server }

    /// The checks that every shared log must pass.
    package func conformance() async throws {
        // A server has a clock of its own.
        try await LogConformance(letTimePass: { try await Task.sleep(for: $0) }) { try await server.log("test") }.run()
    }

    /// Prints the duration of 10,000 writes on one connection, which a log should take in a minute.
    package func tenThousandWrites() async throws {
        let log = try await server.log("test")
        let store = try await open("a", log)
        defer { close([store]) }
        let start = ContinuousClock.now
        for number in 0..<10_000 {
            try await store.write { tx in try tx.insert(CheckedReading(id: number, celsius: 20)) }
        }
        print("10,000 writes through \(type(of: log)): \(ContinuousClock.now - start)")
        try require(try await log.head().index > 10_000, "the log lacks entries")
        try require(try store.read { try $0.fetch(CheckedReading.self).count } == 10_000, "the store lacks records")
    }

    package func logsAreSeparate() async throws {
        let (one, two) = (try await server.log("one"), try await server.log("two"))
        let store = try await open("a", one)
        defer { close([store]) }
        _ = try await one.setRegister("r", to: [1], from: 0, lifetime: nil)
        try require(try await one.head().index > 0, "the log is empty")
        try require(try await two.head().index == 0, "the log has an entry of another log")
        try require(try await two.registers(prefix: "").isEmpty, "the log has a register of another log")
    }

    /// Two nodes write, the server crashes and starts again, and the nodes agree.
    package func writesMeetThroughACrash() async throws {
        let (a, b) = (
            try await open("a", try await server.log("test")), try await open("b", try await server.log("test"))
        )
        defer { close([a, b]) }
        let first = try await a.write(returning: .position) { tx in try tx.insert(CheckedReading(id: 1, celsius: 20)) }
        try require(try await celsius(1, in: b, first.position) == 20, "a write did not arrive")
        server.crash()
        // Without the log, reads go on and writes fail.
        try require(try b.read { try $0.get(CheckedReading.self, id: 1)?.celsius } == 20, "a read without the server")
        do {
            try await b.write { tx in try tx.insert(CheckedReading(id: 2, celsius: 21)) }
            throw Mismatch("a write succeeded without the server")
        } catch let error as StoreError {
            try require([.logUnavailable, .outcomeUnknown].contains(error.code), "\(error)")
        }
        try server.start()
        let last = try await b.write(returning: .position) { tx in try tx.upsert(CheckedReading(id: 3, celsius: 22)) }
        try require(try await celsius(3, in: a, last.position) == 22, "a write after the crash did not arrive")
        let counts = (
            try await a.read(.linearizable) { try $0.fetch(CheckedReading.self).count },
            try b.read { try $0.fetch(CheckedReading.self).count }
        )
        try require(counts.0 == counts.1, "the nodes have \(counts) records")
        try require(try a.position == b.position, "the nodes have other positions")
    }

    private func open(_ node: String, _ log: any SharedLog) async throws -> Store {
        try await Store.open(
            at: server.path + "/store-" + node, records: CheckedReading.self, replication: .shared(log, node: node))
    }

    private func close(_ stores: [Store]) { for store in stores { store.close() } }

    private func celsius(_ id: Int, in store: Store, _ position: Position) async throws -> Double? {
        try await store.read(.atLeast(position)) { try $0.get(CheckedReading.self, id: id)?.celsius }
    }

    private func require(_ isTrue: Bool, _ failure: @autoclosure () -> String) throws {
        if !isTrue { throw Mismatch("\(failure())") }
    }
}
