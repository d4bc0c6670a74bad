import Foundation
@testable import Livepage
import ModelStore
import Testing

/// The board over HTTP, as a browser without JavaScript uses it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BoardRouteTests {
    /// Returns the path of the session that a page belongs to.
    private func path(_ page: String) throws -> String {
        String(try #require(try #/<base href="([^"]+)/">/#.firstMatch(in: page)).1)
    }

    @Test func `a page without a script shows the records, and its forms lead to what they do`() throws {
        let service = try Service(grace: 600)
        let page = try service.http.get("/board").body
        #expect(page.contains("<title>12 readings</title>"))
        #expect(page.contains(#"<tr id="reading-hall-1"><td>hall-1</td><td>hall</td><td>19.5 °C</td>"#))
        let path = try path(page)
        let answer = try service.http.post("\(path)/actions", "_fragment=filter&text=hall&_action=apply")
        #expect(answer.status == 303)
        let filtered = try service.http.get(path).body
        #expect(filtered.contains("<title>3 readings</title>") && !filtered.contains("attic-1"))
        // Another tab begins with a state of its own.
        #expect(try service.http.get("/board").body.contains("<title>12 readings</title>"))
        #expect(try service.http.get("/metrics").body.contains("\nlivepage_sessions 2\n"))
        #expect(service.notices == [])
    }

    @Test func `a form that cannot be answered is refused`() throws {
        let service = try Service(grace: 600)
        let path = try path(try service.http.get("/board").body)
        func status(_ path: String, _ form: String, _ headers: [String] = []) throws -> Int {
            try service.http.post("\(path)/actions", form, headers).status
        }
        #expect(try status(path, "_fragment=filter&_action=apply", ["Sec-Fetch-Site: cross-site"]) == 403)
        #expect(try status(path, "_fragment=filter") == 400)
        #expect(try status(path, "_fragment=filter&_action=fly") == 404)
        #expect(try status(path, "_fragment=reading-hall-1&_action=save&celsius=warm") == 400)
        #expect(try status("/board/nobody", "_fragment=filter&_action=apply") == 410)
        #expect(try service.http.get("/board/nobody/events").status == 410)
        #expect(try service.http.get("/board/nobody").status == 303)
    }

    @Test func `a request must name the service, and a change must come from its pages`() throws {
        let service = try Service(grace: 600)
        let path = try path(try service.http.get("/board").body)
        func status(_ method: String, _ headers: [String]) throws -> Int {
            let form = ["Content-Type: application/x-www-form-urlencoded"]
            return try service.http.send(
                method, method == "GET" ? path : "\(path)/actions", headers + form,
                "_fragment=filter&text=&_action=apply"
            ).status
        }
        for host in ["attacker.example", "localhost.attacker.example:8080", "127.0.0.1.nip.io", "[::2]", ""] {
            #expect(try status("GET", ["Host: \(host)"]) == 421, "\(host)")
        }
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:\(service.port)", "[::1]:80"] {
            #expect(try status("GET", ["Host: \(host)"]) == 200, "\(host)")
        }
        for origin in ["null", "http://attacker.example", "http://localhost:1", "http://localhost.attacker.example"] {
            #expect(try status("POST", ["Origin: \(origin)"]) == 403, "\(origin)")
        }
        #expect(try status("POST", ["Origin: http://localhost"]) == 303)
        #expect(try status("POST", ["Origin: null", "Sec-Fetch-Site: same-origin"]) == 303)
        #expect(try status("POST", []) == 303)
    }

    @Test func `a session without a tab ends after the grace time`() throws {
        let service = try Service(grace: 0.1)
        for _ in 0..<3 { _ = try service.http.get("/board") }
        let report = try service.waitUntilEmpty()
        #expect(report.leaks.isEmpty)
        let metrics = try service.http.get("/metrics").body
        #expect(metrics.contains("\nlivepage_sessions 0\n") && metrics.contains("\nlivepage_sessions_total 3\n"))
        #expect(service.notices == [])
    }
}
