import Foundation
import Hummingbird
import ModelStore

/// The routes of the ownership report: `/report` for users, `/report.txt`, `/report.json`, and `/metrics` for Prometheus.
struct ReportRoutes: Sendable {
    let store: Store
    let connections: Connections
    let sessions: Sessions

    func add(to router: Router<PageContext>) {
        router.get("report") { _, _ in
            Self.response(ReportPage(store.ownership.report()).html, "text/html; charset=utf-8")
        }
        router.get("report.txt") { _, _ in
            Self.response("\(store.ownership.report())\n", "text/plain; charset=utf-8")
        }
        router.get("report.json") { _, _ in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return Self.response(
                String(decoding: try encoder.encode(store.ownership.report()), as: UTF8.self), "application/json")
        }
        router.get("metrics") { _, _ in Self.response(metrics, "text/plain; version=0.0.4") }
    }

    private var metrics: String {
        let ownership = store.ownership.metrics
        let gauges = [
            ("pins", ownership.pinCount), ("objects", ownership.objectCount), ("models", ownership.modelCount),
            ("resting", ownership.restingCount), ("scopes", ownership.scopeCount), ("leaks", ownership.leakCount),
            ("notices", ownership.noticeCount), ("live_queries", store.liveQueryCount),
            ("sessions", sessions.count),
        ]
        let lines = gauges.map { name, value in
            "# TYPE livepage_\(name) gauge\nlivepage_\(name) \(value)\n"
        }
        let totals = [("connections", connections.count), ("sessions", sessions.openedCount)].map { name, value in
            "# TYPE livepage_\(name)_total counter\nlivepage_\(name)_total \(value)\n"
        }
        return (lines + totals).joined()
    }

    private static func response(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
