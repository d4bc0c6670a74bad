import Hummingbird
import ModelStore
import NIOCore
import Synchronization

/// Gives each client's connection a scope within the scope of the service.
///
/// Whichever ends first ends the other. A client that is gone (a closed tab, a kill, a broken line) closes its scope. A closed
/// scope disconnects its client, which then connects again.
final class Connections: Sendable {
    private let app: Scope
    private let counter = Atomic(0)

    /// - Parameter app: the scope of the service.
    init(in app: Scope) { self.app = app }

    /// The number of connections so far.
    var count: Int { counter.load(ordering: .relaxed) }

    /// Returns a response that continues until the client is gone.
    ///
    /// - Parameters:
    ///   - request: the client's request.
    ///   - channel: the client's connection.
    ///   - parent: the parent of the connection's scope; nil for the scope of the service.
    ///   - open: starts sending events, within the scope of the connection.
    func stream(
        _ request: Request, on channel: any Channel, in parent: Scope? = nil,
        _ open: @escaping @Sendable (Scope) throws -> Outlet
    ) -> Response {
        let number = counter.add(1, ordering: .relaxed).newValue
        // Only the session's tab knows the address of the session's events, so reports must not contain it.
        let name = parent == nil ? "connection \(number) \(request.uri.string)" : "connection \(number)"
        let parent = parent ?? app
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // Cancels its body when the client is gone.
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    let scope = try parent.child(name)
                    defer { scope.close() }
                    // Closing the scope from elsewhere must not wait for a slow client to receive the rest.
                    try scope.onClose { channel.close(promise: nil) }
                    for await buffer in try open(scope).buffers { try await writer.write(buffer) }
                }
            })
    }
}
