import Foundation
@testable import Livepage
import ModelStore
import Testing

/// Clients of a service in a process of its own, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2))) struct EventTests {
    @Test func `a client sees the rows, then each change, and leaves nothing when it goes`() throws {
        let service = try Service()
        let client = try service.client("/events/readings?room=kitchen")
        try client.readStep()
        #expect(client.rows.map(\.sensor) == ["kitchen-1", "kitchen-2", "kitchen-3"])
        try service.set("kitchen-2", to: 31.5)
        #expect(
            try client.readStep().map(\.description) == [
                #"update {"index":1,"changed":["celsius"],"record":{"sensor":"kitchen-2","room":"kitchen","celsius":31.5}}"#,
                #"ready {"count":3}"#,
            ])
        #expect(client.rows[1].celsius == 31.5)

        let report = try service.report()
        let scope = "livepage/connection 1 /events/readings?room=kitchen"
        #expect(report.scopes.map(\.path) == ["livepage", scope])
        #expect(report.scopes.last?.taskCount == 2)
        #expect(report.objects.map(\.type).sorted() == ["LiveQuery<Reading>", "Outlet", "Room"])
        #expect(report.objects.allSatisfy { $0.pins.contains { $0.holder == scope } })

        client.socket.close()
        let last = try service.waitUntilEmpty()
        #expect(last.scopes.map(\.path) == ["livepage"] && last.leaks.isEmpty)
        #expect(last.scopes.first.map { [$0.pinCount, $0.taskCount, $0.childCount] } == [0, 0, 0])
        #expect(service.notices == [])
    }

    @Test func `what another process changes is sent too`() throws {
        let service = try Service()
        let client = try service.client("/events/readings?room=hall&above=25")
        #expect(try client.readStep().map(\.name) == ["ready"])
        let store = try service.openStore()
        defer { store.close() }
        try store.write { try $0.update(Reading.self, id: "hall-3") { $0.celsius = 26 } }
        try client.readStep()
        #expect(client.rows == [Reading(sensor: "hall-3", room: "hall", celsius: 26)])
        try store.write { try $0.update(Room.self, id: "hall") { $0.name = "Great hall" } }
        try client.readRoom("Great hall")
        try store.write { _ = try $0.delete(Reading.self, id: "hall-3") }
        try client.readStep()
        #expect(client.rows == [])
    }

    @Test func `a client that was cut off gets what it missed, and nothing else`() throws {
        let service = try Service()
        let first = try service.client()
        try first.readStep()
        let id = try #require(first.lastEventID)
        first.socket.reset()
        _ = try service.waitUntilEmpty()
        try service.set("attic-1", to: 1)
        try service.set("hall-1", to: 2)
        try service.set("attic-1", to: 3)
        let again = try service.client(lastEventID: id)
        #expect(try again.readEvents().map(\.name) == ["update", "update", "ready"])
        let stranger = try service.client(lastEventID: "nonsense")
        #expect(try stranger.readStep().first?.name == "reset")
        #expect(stranger.rows.count == 12)
    }

    @Test func `a client that vanished without a word is found by the heartbeat`() throws {
        let service = try Service(heartbeat: 0.2)
        let client = try service.client()
        try client.readStep()
        #expect(try service.connections().count == 1)
        do {
            try client.socket.vanish()
        } catch {
            TestRun.note("skipped: this process may not let a socket vanish (\(error))")
            return
        }
        _ = try service.waitUntilEmpty()
        #expect(service.notices == [])
    }

    @Test func `a client that takes nothing is cut off`() throws {
        let service = try Service(heartbeat: 0.5)
        let client = try service.client(receiveByteCount: 4_096)
        try client.readStep()
        let store = try service.openStore()
        defer { store.close() }
        // Until the kernel's buffers are full, and for twice the heartbeat longer.
        var number = 0
        try TestRun.wait("the end of a client that does not read", seconds: 60) {
            for _ in 0..<200 {
                number += 1
                try store.write { [number] transaction in
                    for room in ["attic", "cellar", "hall", "kitchen"] {
                        for place in 1...3 {
                            try transaction.update(Reading.self, id: "\(room)-\(place)") { $0.celsius = Double(number) }
                        }
                    }
                }
            }
            return try service.connections().isEmpty
        }
        #expect(service.notices == [])
    }

    @Test func `a signal ends streams, scopes and the store, with connections open`() throws {
        let service = try Service(heartbeat: 15)
        let clients = try (0..<20).map { try service.client("/events/readings?above=\($0)") }
        let rooms = try service.client("/events/readings?room=attic")
        for client in clients + [rooms] { try client.readStep() }
        let began = ContinuousClock.now
        service.program.terminate()
        for client in clients + [rooms] { try client.readToEnd() }
        #expect(try service.program.wait() == 0)
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(service.notices == [])
        #expect(service.program.output.count { $0.contains(" ended after ") } == 21)
    }

    @Test func `requests that do not fit are refused before a stream begins`() throws {
        let service = try Service()
        #expect(try service.http.get("/events/readings?room=nowhere").status == 404)
        #expect(try service.http.get("/events/readings?above=warm").status == 400)
        #expect(try service.http.post("/readings", "sensor=nothing&celsius=1").status == 404)
        #expect(try service.http.post("/readings", "sensor=hall-1&celsius=nan").status == 400)
        let foreign = try service.http.post("/readings", "sensor=hall-1&celsius=1", ["Sec-Fetch-Site: cross-site"])
        #expect(foreign.status == 403)
        #expect(try service.report().scopes.count == 1)
    }

    @Test func `the report is there as a page, as text, and as numbers`() throws {
        let service = try Service()
        let client = try service.client("/events/readings?room=attic&x=<b>")
        try client.readStep()
        let page = try service.http.get("/report").body
        #expect(page.contains("connection 1 /events/readings?room=attic&amp;x=&lt;b&gt;"))
        #expect(try service.http.get("/report.txt").body.contains("Room attic"))
        let metrics = try service.http.get("/metrics").body
        #expect(metrics.contains("\nlivepage_scopes 2\n") && metrics.contains("\nlivepage_models 1\n"))
        #expect(try service.http.get("/").body.contains("<title>livepage</title>"))
    }
}
