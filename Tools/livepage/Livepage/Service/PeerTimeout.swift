import Glibc
import NIOCore

/// Has a connection end when the other side has not taken what was sent for so long.
///
/// A machine that lost its power or its network says nothing: without this the kernel sends again for a quarter of an hour before
/// it gives up. Heartbeats see to it that there always is something to take.
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
        // Where the system has no such option, its own patience has to do.
        _ = context.channel.setOption(option, value: milliseconds)
    }
}
