import HTTPTypes
import Hummingbird
import Logging
import ModelStore
import ModelStoreEvents

/// The streams of events: `/events/readings`, with optional `room` and `above`, and `/events/rooms`.
struct EventRoutes: Sendable {
    let store: Store
    let connections: Connections
    let options: EventOptions
    let logger: Logger

    private static let lastEventID = HTTPField.Name("Last-Event-ID")!

    func add(to router: Router<PageContext>) {
        router.get("events/readings") { request, context in
            let query = try ReadingQuery(request.uri)
            // A missing room is reported before the stream begins. The connection itself borrows the model.
            if let room = query.room { _ = try store.model(Room.self, id: room) }
            return stream(query.request, lookingInto: query.room, request, context)
        }
        router.get("events/rooms") { request, context in
            stream(Room.order { $0.name.ascending }, request, context)
        }
    }

    private func stream<R: Record>(
        _ rows: FetchRequest<R>, lookingInto room: Room.ID? = nil, _ request: Request, _ context: PageContext
    ) -> Response {
        let connection = EventConnection(
            request: rows, room: room, lastEventID: request.headers[Self.lastEventID], store: store, options: options,
            logger: logger)
        return connections.stream(request, on: context.channel) { try connection.open(in: $0) }
    }
}
