import Glibc
import NIOCore

/// Ends a connection if the other side has not acknowledged sent data for a given time.
///
/// A machine that lost its power or its network sends nothing. Without this limit, the kernel retries for a quarter of an hour
/// before it gives up. Heartbeats ensure that there is always data to acknowledge.
final class PeerTimeout: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let milliseconds: Int

    init(_ timeout: Duration) {
        let (seconds, attoseconds) = timeout.components
        milliseconds = Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let option = ChannelOptions.Types.SocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))
        // On a system without this option, its own time limit applies.
        _ = context.channel.setOption(option, value: milliseconds)
    }
}
