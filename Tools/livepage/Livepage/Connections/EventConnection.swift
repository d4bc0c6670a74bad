import Logging
import ModelStore
import ModelStoreEvents
import NIOCore

/// One client's stream of events, and the objects that exist while the client is connected.
struct EventConnection<R: Record>: Sendable {
    /// The request for the client's rows.
    let request: FetchRequest<R>
    /// The id of the room that the client has selected, if any.
    let room: Room.ID?
    /// The id of the last event that the client received before it was disconnected.
    let lastEventID: String?
    let store: Store
    let options: EventOptions
    let logger: Logger

    /// Starts sending events, until the scope is closed.
    ///
    /// The scope holds everything: the live query, which belongs to this client; the room's model, which other clients share; and
    /// a task for each source of changes.
    ///
    /// - Parameter scope: the scope of the connection.
    /// - Returns: the outlet that delivers the events.
    func open(in scope: Scope) throws -> Outlet {
        let outlet = try scope.stateObject { Outlet() }
        try scope.onClose { [logger, path = scope.path] in
            outlet.finish()
            logger.info("\(path) ended after \(outlet.sentByteCount) bytes")
        }
        let query = try store.liveQuery(request)
        try scope.own(query)
        try scope.task { [options, lastEventID] in
            // A stream without its events is useless. Ending it makes the client connect again.
            defer { outlet.finish() }
            for try await buffer in query.serverSentEvents(lastEventID: lastEventID, options) {
                await outlet.send(buffer)
            }
        }
        if let room {
            let room = try scope.borrow(store.model(Room.self, id: room))
            try scope.onReceive(room.values(of: \.name)) { name in
                var buffer = ByteBuffer()
                ServerSentEvent("room", data: name).write(to: &buffer)
                await outlet.send(buffer)
            }
        }
        return outlet
    }
}
