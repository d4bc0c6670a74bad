import Hummingbird
import ModelStore
import NIOCore
import Synchronization

/// Makes each client's connection a scope within that of the service.
///
/// Whichever ends first takes the other with it: a client that is gone, by a closed tab, a kill or a broken line, closes its
/// scope, and a scope that is closed cuts off its client, who connects again.
final class Connections: Sendable {
    private let app: Scope
    private let counter = Atomic(0)

    /// - Parameter app: the scope of the service.
    init(in app: Scope) { self.app = app }

    /// How many connections there were.
    var count: Int { counter.load(ordering: .relaxed) }

    /// A response that goes on until the client is gone.
    ///
    /// - Parameters:
    ///   - request: what the client asked.
    ///   - channel: the client's connection.
    ///   - parent: the scope that the connection is a part of; nil for that of the service.
    ///   - open: begins to send events, within the scope of the connection.
    func stream(
        _ request: Request, on channel: any Channel, in parent: Scope? = nil,
        _ open: @escaping @Sendable (Scope) throws -> Outlet
    ) -> Response {
        let number = counter.add(1, ordering: .relaxed).newValue
        // The address of a session's events is known to the session's tab alone, and stays out of reports.
        let name = parent == nil ? "connection \(number) \(request.uri.string)" : "connection \(number)"
        let parent = parent ?? app
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // Cancels what is in it when the client is gone.
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    let scope = try parent.child(name)
                    defer { scope.close() }
                    // Who closes the scope from outside need not wait until a slow client has taken what it was sent.
                    try scope.onClose { channel.close(promise: nil) }
                    for await buffer in try open(scope).buffers { try await writer.write(buffer) }
                }
            })
    }
}
