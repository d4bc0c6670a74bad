#if Etcd
import GRPCCore
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// The transport of gRPC calls to an etcd cluster: one connection, to the first member that can be reached.
///
/// grpc-swift-nio-transport ends a connection on which more than 200 control frames come in 30 seconds, and etcd sends a PING
/// about once a call. Delete this file, and use that package, once it has a setting for the limit.
///
/// - `state` is protected by its mutex.
final class EtcdTransport: ClientTransport {
    typealias Bytes = [UInt8]

    /// A connection to one member.
    struct Connection: Sendable {
        let channel: any Channel
        let multiplexer: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
        let endpoint: EtcdEndpoint
    }

    private struct State {
        var connecting: Task<Connection, any Error>?
        /// The index of the member to which the next connection goes.
        var next = 0
        /// Counts the connections, so that the end of an old one does not end the current one.
        var number = 0
        var isStopped = false
    }

    private static let connectionPatience = TimeAmount.seconds(2)
    private static let windowByteCount = 4 << 20

    private let endpoints: [EtcdEndpoint]
    private let context: NIOSSLContext?
    private let state = Mutex(State())

    init(_ endpoints: [EtcdEndpoint], _ context: NIOSSLContext?) {
        self.endpoints = endpoints
        self.context = context
    }

    deinit { close() }

    // MARK: ClientTransport

    var retryThrottle: RetryThrottle? { nil }

    func config(forMethod descriptor: MethodDescriptor) -> MethodConfig? { nil }

    /// Connections are made by the first call that needs one.
    func connect() async throws {}

    func beginGracefulShutdown() { close() }

    func withStream<T: Sendable>(
        descriptor: MethodDescriptor, options: CallOptions,
        _ closure: @concurrent (RPCStream<Inbound, Outbound>, ClientContext) async throws -> T
    ) async throws -> T {
        let connection = try await connection()
        let stream = try await connection.multiplexer.openStream { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
            }
        }
        let name = "\(connection.endpoint.host):\(connection.endpoint.port)"
        return try await stream.executeThenClose { inbound, outbound in
            let requests = EtcdRequestWriter(outbound, descriptor, connection.endpoint)
            let stream = RPCStream(
                descriptor: descriptor, inbound: RPCAsyncSequence(wrapping: EtcdResponseParts(inbound)),
                outbound: RPCWriter.Closable(wrapping: requests))
            return try await closure(
                stream, ClientContext(descriptor: descriptor, remotePeer: name, localPeer: "modelstore"))
        }
    }

    // MARK: Connections

    /// Ends the connection, so that the next call goes to another member.
    func leaveMember() {
        let old = state.withLock { state in
            state.next = (state.next + 1) % endpoints.count
            state.number += 1
            return state.connecting.take()
        }
        end(old)
    }

    private func close() {
        let old = state.withLock { state in
            state.isStopped = true
            return state.connecting.take()
        }
        end(old)
    }

    private func end(_ connecting: Task<Connection, any Error>?) {
        guard let connecting else { return }
        Task.detached { try? await connecting.value.channel.close() }
    }

    private func connection() async throws -> Connection {
        let connecting = try state.withLock { state in
            guard !state.isStopped else { throw RPCError(code: .unavailable, message: "the log is closed") }
            if let connecting = state.connecting { return connecting }
            state.number += 1
            let (number, first) = (state.number, state.next)
            let connecting = Task.detached { try await self.connectToAny(from: first, number) }
            state.connecting = connecting
            return connecting
        }
        return try await connecting.value
    }

    /// Connects to the first member that can be reached, from one on.
    private func connectToAny(from first: Int, _ number: Int) async throws -> Connection {
        var failure: any Error = RPCError(code: .unavailable, message: "there is no endpoint")
        for offset in endpoints.indices {
            let index = (first + offset) % endpoints.count
            do {
                let connection = try await connect(to: endpoints[index])
                state.withLock { if $0.number == number { $0.next = index } }
                connection.channel.closeFuture.whenComplete { [weak self] _ in self?.forget(number) }
                return connection
            } catch {
                failure = error
            }
        }
        forget(number)
        throw EtcdNotConnected(cause: failure)
    }

    private func forget(_ number: Int) {
        state.withLock { if $0.number == number { $0.connecting = nil } }
    }

    private func connect(to endpoint: EtcdEndpoint) async throws -> Connection {
        var options = NIOHTTP2Handler.Configuration()
        options.connection.controlFrameRateLimit.maximumCount = .max
        options.stream.streamResetFrameRateLimit.maximumCount = .max
        options.connection.targetWindowSize = Self.windowByteCount
        options.stream.targetWindowSize = Self.windowByteCount
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(Self.connectionPatience)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: endpoint.host, port: endpoint.port) { [context, options] channel in
                channel.eventLoop.makeCompletedFuture {
                    if endpoint.isSecure {
                        guard let context else { throw EtcdNotConnected(cause: nil) }
                        let name = endpoint.host.isAddress ? nil : endpoint.host
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: name))
                    }
                    let multiplexer = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
                        mode: .client, configuration: options
                    ) { stream in stream.eventLoop.makeSucceededVoidFuture() }
                    return Connection(channel: channel, multiplexer: multiplexer, endpoint: endpoint)
                }
            }
    }
}

/// No member of the cluster could be reached, so nothing was sent.
struct EtcdNotConnected: Error {
    let cause: (any Error)?
}

extension String {
    /// Whether a host is an IP address, which cannot be a server's name in TLS.
    fileprivate var isAddress: Bool { (try? SocketAddress(ipAddress: self, port: 0)) != nil }
}
#endif
