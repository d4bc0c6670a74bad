#if ServerSentEvents
public import ModelStore
public import NIOCore

/// The results of a live query and then each change of them, as the bytes of a stream of server-sent events.
///
/// An asynchronous sequence of buffers that an HTTP server sends as they come, with the content type `text/event-stream`. It
/// has no end of its own. A client that is slow to read gets several changes as one, and always ends on the newest; nothing
/// piles up for it.
///
/// The article *Server-sent events* says what the events are.
public struct ServerSentEvents<R: Record>: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    let query: LiveQuery<R>
    let start: EventStart
    let options: EventOptions

    /// A stream of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: EventStream(query, from: start, options)) }

    /// Waits for changes.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: EventStream<R>

        /// The next bytes, one or more whole events; nil when the task is cancelled.
        ///
        /// - Throws: ``StoreError``: `closed`; `damaged`. The response is to be cut off then: the client connects again.
        public mutating func next() async throws -> ByteBuffer? { try await stream.next() }
    }
}

extension Store {
    /// The results of a request and then each change of them, as the bytes of a stream of server-sent events.
    ///
    /// ```swift
    /// router.get("sensors") { request, _ in
    ///     let events = try store.serverSentEvents(of: hot, lastEventID: request.headers[.lastEventID])
    ///     return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: .init(asyncSequence: events))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: what to show. Without an order records are in the order of their ids.
    ///   - lastEventID: the client's header `Last-Event-ID`. With one that a stream of this store gave for the same request, it gets
    ///     what has changed since, as long as the feed retains that (``updates(of:since:)``); with any other a `reset` and all rows.
    ///   - options: heartbeats and the like.
    /// - Throws: ``StoreError``: as ``liveQuery(_:)``, and so before a response has begun.
    public func serverSentEvents<R: Record>(
        of request: FetchRequest<R>, lastEventID: String? = nil, _ options: EventOptions = EventOptions()
    ) throws -> ServerSentEvents<R> {
        try liveQuery(request).serverSentEvents(lastEventID: lastEventID, options)
    }
}

extension LiveQuery {
    /// The results and then each change of them, as the bytes of a stream of server-sent events: for a query that a scope owns,
    /// or that is asked for something else while it is streamed.
    ///
    /// - Parameters:
    ///   - lastEventID: as for ``ModelStore/Store/serverSentEvents(of:lastEventID:_:)``. One that was given before the query was
    ///     asked for something else is one of another request.
    ///   - options: heartbeats and the like.
    public func serverSentEvents(
        lastEventID: String? = nil, _ options: EventOptions = EventOptions()
    ) -> ServerSentEvents<R> {
        ServerSentEvents(query: self, start: EventStart(lastEventID: lastEventID), options: options)
    }
}
#endif
