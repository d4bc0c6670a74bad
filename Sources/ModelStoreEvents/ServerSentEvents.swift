#if ServerSentEvents
public import ModelStore
public import NIOCore

/// The results of a live query and then each change in them, as the bytes of a stream of server-sent events.
///
/// An asynchronous sequence of buffers that an HTTP server sends as they arrive, with the content type `text/event-stream`. It
/// does not end by itself. A slow client receives several changes as one, and always reaches the newest results. Nothing
/// accumulates for it.
///
/// The article *Server-sent events* describes the events.
public struct ServerSentEvents<R: Record>: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    let query: LiveQuery<R>
    let start: EventStart
    let options: EventOptions

    /// Creates an iterator with a stream of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: EventStream(query, from: start, options)) }

    /// Waits for changes.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: EventStream<R>

        /// Returns the next bytes, one or more whole events; nil when the task is cancelled.
        ///
        /// - Throws: ``/ModelStore/StoreError``: `closed`; `damaged`. Then close the connection: the client reconnects.
        public mutating func next() async throws -> ByteBuffer? { try await stream.next() }
    }
}

extension Store {
    /// Streams the results of a request, and then each change in them, as server-sent events.
    ///
    /// ```swift
    /// router.get("sensors") { request, _ in
    ///     let events = try store.serverSentEvents(of: hot, lastEventID: request.headers[.lastEventID])
    ///     return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: .init(asyncSequence: events))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request. Without an order, records are in the order of their ids.
    ///   - lastEventID: the client's header `Last-Event-ID`. If a stream of this store sent this id for the same request, the
    ///     client receives the changes since then, as long as the feed retains them (``/ModelStore/Store/updates(of:since:)``).
    ///     Otherwise it receives a `reset` and all rows.
    ///   - options: heartbeats, the retry delay and the chunk size.
    /// - Throws: ``/ModelStore/StoreError``: `invalidValue` for an option outside its range, and the errors of
    ///   ``/ModelStore/Store/liveQuery(_:)``, before a response has begun.
    public func serverSentEvents<R: Record>(
        of request: FetchRequest<R>, lastEventID: String? = nil, _ options: EventOptions = EventOptions()
    ) throws -> ServerSentEvents<R> {
        try options.check()
        return try liveQuery(request).serverSentEvents(lastEventID: lastEventID, options)
    }
}

extension LiveQuery {
    /// Streams the results, and then each change in them, as server-sent events. Use it for a query that a scope owns, or for one
    /// that gets a new request during the stream.
    ///
    /// - Parameters:
    ///   - lastEventID: as for ``ModelStore/Store/serverSentEvents(of:lastEventID:_:)``. An id from before the query got a new
    ///     request is an id of another request.
    ///   - options: heartbeats, the retry delay and the chunk size. If one is outside its range, the stream fails with
    ///     `invalidValue`.
    public func serverSentEvents(
        lastEventID: String? = nil, _ options: EventOptions = EventOptions()
    ) -> ServerSentEvents<R> {
        ServerSentEvents(query: self, start: EventStart(lastEventID: lastEventID), options: options)
    }
}
#endif
