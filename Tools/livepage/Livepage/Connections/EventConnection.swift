import Logging
import ModelStore
import ModelStoreEvents
import NIOCore

/// One client's stream of events, and what it has while the client is there.
struct EventConnection<R: Record>: Sendable {
    /// What the client sees.
    let request: FetchRequest<R>
    /// The id of the room that it looks into, if it does.
    let room: Room.ID?
    /// The id of the last event that it got before it was cut off.
    let lastEventID: String?
    let store: Store
    let options: EventOptions
    let logger: Logger

    /// Begins to send events, until the scope is closed.
    ///
    /// The scope has all of it: the live query, which is this client's; the room's model, which others have too; and a task for
    /// each that waits for changes.
    ///
    /// - Parameter scope: the connection's.
    /// - Returns: where the events come out.
    func open(in scope: Scope) throws -> Outlet {
        let outlet = try scope.stateObject { Outlet() }
        try scope.onClose { [logger, path = scope.path] in
            outlet.finish()
            logger.info("\(path) ended after \(outlet.sentByteCount) bytes")
        }
        let query = try store.liveQuery(request)
        try scope.own(query)
        try scope.task { [options, lastEventID] in
            // Without its events a stream is of no use: the client connects again.
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
