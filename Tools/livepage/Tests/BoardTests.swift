import Hummingbird
@testable import Livepage
import ModelStore
import ModelStoreComponents
import NIOCore
import Testing

/// Sessions with their trees of components, in this process.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BoardTests {
    /// Runs a test with the sessions of a store that has three readings. Expects that all their objects are released.
    private func run(
        grace: Duration = .seconds(600), _ body: nonisolated(nonsending) (Store, Sessions) async throws -> Void
    ) async throws {
        let notices = Subject<[String]>([])
        var options = StoreOptions()
        options.ownership.onNotice = { notice in notices.update { $0.append("\(notice)") } }
        let store = try Store.temporary(records: Room.self, Reading.self, options: options)
        defer { store.close() }
        try await store.write { transaction in
            for sensor in ["attic-1", "hall-1", "hall-2"] {
                let room = String(sensor.prefix { $0 != "-" })
                try transaction.insert(Reading(sensor: sensor, room: room, celsius: 20))
            }
        }
        try await store.withScope("app") { app in try await body(store, Sessions(in: app, grace: grace)) }
        #expect(store.ownership.report().objects.isEmpty && store.ownership.report().leaks.isEmpty)
        #expect(store.liveQueryCount == 0)
        #expect(notices.value == [])
    }

    /// Returns the patches of a session's screen that a change causes.
    private func patches(
        _ session: Session, _ change: nonisolated(nonsending) () async throws -> Void
    ) async throws -> [Patch] {
        try await session.host.settle()
        let old = session.screen
        try await change()
        try await session.host.settle()
        return session.screen.patches(since: old)
    }

    @Test func `a client has a part of all sessions, and gets it back`() async throws {
        try await run { _, sessions in
            var open: [Session] = []
            for _ in 0..<Sessions.limits.client { open.append(try await sessions.open(for: "one")) }
            await #expect(throws: HTTPError.self) { _ = try await sessions.open(for: "one") }
            open.append(try await sessions.open(for: "other"))
            open.removeFirst().scope.close()
            open.append(try await sessions.open(for: "one"))
            for session in open { session.scope.close() }
            #expect(sessions.count == 0)
        }
    }

    @Test func `the addresses of one network are one client`() throws {
        func client(_ address: String) throws -> String { try SocketAddress(ipAddress: address, port: 1).client }
        #expect(try client("2001:db8::1") == client("2001:db8:0:0:ffff::2"))
        #expect(try client("2001:db8::1") != client("2001:db8:0:1::1"))
        #expect(try client("192.0.2.1") != client("192.0.2.2"))
        #expect(try client("::ffff:192.0.2.1") != client("::ffff:192.0.2.2"))
    }

    @Test func `a change of a record patches its row alone`() async throws {
        try await run { store, sessions in
            let session = try await sessions.open(for: "tab")
            #expect(session.screen.html.contains(#"<tr id="reading-hall-1"><td>hall-1</td><td>hall</td><td>20.0 °C"#))
            let patches = try await patches(session) {
                try await store.write { _ = try $0.update(Reading.self, id: "hall-1") { $0.celsius = 21.5 } }
            }
            #expect(patches.map(\.id) == ["reading-hall-1"])
            #expect(patches.first?.html.contains("21.5 °C") == true)
        }
    }

    @Test func `a record that comes or goes patches the table and the title`() async throws {
        try await run { store, sessions in
            let session = try await sessions.open(for: "tab")
            #expect(session.screen.title == "3 readings")
            let patches = try await patches(session) {
                try await store.write { _ = try $0.insert(Reading(sensor: "<b>", room: "\"", celsius: 1)) }
            }
            #expect(patches.map(\.id) == ["readings"])
            let row = #"<tr id="reading-&lt;b&gt;"><td>&lt;b&gt;</td><td>&quot;</td>"#
            #expect(patches.first?.html.contains(row) == true)
            #expect(session.screen.title == "4 readings")
        }
    }

    @Test func `two sessions share the records and the alarm, and have everything else of their own`() async throws {
        try await run { _, sessions in
            let (first, second) = (try await sessions.open(for: "tab"), try await sessions.open(for: "tab"))
            let untouched = try await patches(second) {
                let filtered = try await patches(first) {
                    try await first.perform("apply", of: "filter", with: ["text": "hall"])
                }
                #expect(filtered.map(\.id) == ["filter", "readings"])
                let toggled = try await patches(first) { try await first.perform("toggle", of: "unit", with: [:]) }
                #expect(toggled.map(\.id) == ["unit", "reading-hall-1", "reading-hall-2"])
                let edited = try await patches(first) {
                    try await first.perform("edit", of: "reading-hall-1", with: [:])
                }
                #expect(edited.map(\.id) == ["reading-hall-1"])
                let refused = try await patches(first) {
                    try await first.perform("set", of: "alarm", with: ["limit": "warm"])
                }
                #expect(refused.map(\.id) == ["alarm"])
                #expect(refused.first?.html.contains(#"aria-invalid="true" name="limit" value="warm""#) == true)
            }
            #expect(untouched == [])
            #expect([first.screen.title, second.screen.title] == ["2 readings", "3 readings"])

            // Changes the record, by the first session's form.
            let saved = try await patches(second) {
                try await first.perform("save", of: "reading-hall-1", with: ["celsius": "30"])
            }
            #expect(saved.map(\.id) == ["reading-hall-1"])
            #expect(saved.first?.html.contains(#"class="alarm""#) == true)
            #expect(first.screen.html.contains("<td>86.0 °F</td>"))
            // Changes the alarm, by the second session's form.
            let raised = try await patches(first) {
                try await second.perform("set", of: "alarm", with: ["limit": "35"])
            }
            #expect(raised.map(\.id) == ["alarm", "reading-hall-1"])
            #expect(raised.first?.html.contains(#"value="35.0""#) == true)
        }
    }

    @Test func `a session that ends takes its tree and its objects with it`() async throws {
        try await run { store, sessions in
            func count(_ type: String) -> Int { store.ownership.report().objects.count { $0.type == type } }
            weak var weakSession: Session?
            var hosts: [ComponentHost] = []
            for number in 1...3 {
                let session = try await sessions.open(for: "tab")
                hosts.append(session.host)
                weakSession = session
                // The board, the filter, the unit, the alarm, the table and its three rows.
                #expect(await session.host.counters.componentCount == 8)
                #expect(count("Filter") == number)
            }
            #expect(count("Reading") == 3 && sessions.count == 3)
            for (number, host) in hosts.enumerated() {
                host.scope.close()
                await host.scope.waitUntilClosed()
                #expect(await host.counters.componentCount == 0)
                #expect(count("Filter") == 2 - number && sessions.count == 2 - number)
            }
            #expect(weakSession == nil)
            let made = store.ownership.report().constructions.first { $0.type == "Filter" }
            #expect(made?.constructedCount == 3 && made?.usedCount == 3)
            #expect(sessions.openedCount == 3)
        }
    }

    @Test func `a session that no tab comes for ends after the grace time`() async throws {
        try await run(grace: .zero) { _, sessions in
            let session = try await sessions.open(for: "tab")
            await session.scope.waitUntilClosed()
            #expect(sessions.find(session.id) == nil)
        }
    }

    @Test func `a stream brings a tab with another version the whole page, and then patches`() async throws {
        try await run { _, sessions in
            let session = try await sessions.open(for: "tab")
            try await session.scope.withChild("connection") { connection in
                let outlet = try session.stream(in: connection, from: nil, heartbeat: .seconds(600))
                let received = Subject<[String]>([])
                try connection.onReceive(outlet.buffers) { buffer in
                    received.update { $0.append(String(buffer: buffer)) }
                }
                /// Returns the lines of the buffer with a number. Their beginnings are enough to identify the events.
                func lines(_ number: Int) async -> [String] {
                    for await texts in received.values where texts.count > number {
                        return texts[number].split(separator: "\n").map { String($0.prefix(22)) }
                    }
                    return []
                }
                #expect(await lines(0) == ["retry: 1000"])
                let events = await lines(1)
                #expect(events.prefix(3) == ["event: title", "data: 3 readings", "event: patch"])
                #expect(events.last == #"data: {"html":"<main i"#)
                try await session.perform("edit", of: "reading-hall-1", with: [:])
                let patch = ["event: patch", "id: \(session.screen.version)", #"data: {"html":"<tr id="#]
                #expect(await lines(2) == patch)
            }
            #expect(!session.scope.isClosed)
        }
    }
}
