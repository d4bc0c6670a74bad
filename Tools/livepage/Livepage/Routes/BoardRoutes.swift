import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// The routes of the page that is built of components. `/board` opens a session, and the paths below it are the session's events
/// and actions.
///
/// The page also works without JavaScript: a form leads back to the page of its session.
struct BoardRoutes: Sendable {
    let sessions: Sessions
    let connections: Connections
    let heartbeat: Duration

    private static let lastEventID = HTTPField.Name("Last-Event-ID")!

    func add(to router: Router<PageContext>) {
        router.get("board") { _, context in
            Self.page(try await sessions.open(for: context.channel.remoteAddress?.client ?? ""))
        }
        router.get("board/:session") { _, context in
            guard let session = sessions.find(try context.parameters.require("session")) else {
                return Response.redirect(to: "/board")
            }
            session.touch()
            return Self.page(session)
        }
        router.get("board/:session/events") { request, context in
            let session = try session(context)
            let version = request.headers[Self.lastEventID] ?? request.uri.queryParameters["version"].map(String.init)
            return connections.stream(request, on: context.channel, in: session.scope) { connection in
                try session.stream(in: connection, from: version.flatMap { Int($0) }, heartbeat: heartbeat)
            }
        }
        router.post("board/:session/actions") { request, context in
            let session = try session(context)
            var fields = try await URLEncodedFormDecoder().decode(
                [String: String].self, from: request, context: context)
            guard let fragment = fields.removeValue(forKey: "_fragment"),
                let action = fields.removeValue(forKey: "_action")
            else {
                throw HTTPError(.badRequest, message: "a form must name its fragment and its action")
            }
            try await session.perform(action, of: fragment, with: fields)
            return Response.redirect(to: "/board/\(session.id)")
        }
        router.get("live.js") { _, _ in Self.response(PackageResources.live_js, "text/javascript; charset=utf-8") }
        router.get("live.css") { _, _ in Self.response(PackageResources.live_css, "text/css; charset=utf-8") }
    }

    private func session(_ context: PageContext) throws -> Session {
        guard let session = sessions.find(try context.parameters.require("session")) else {
            throw HTTPError(.gone, message: "the session has ended; load the page again")
        }
        return session
    }

    private static func page(_ session: Session) -> Response {
        response(Array(BoardPage(session).html.utf8), "text/html; charset=utf-8")
    }

    private static func response(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
