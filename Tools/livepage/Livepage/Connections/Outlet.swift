import AsyncAlgorithms
import NIOCore
import Synchronization

/// Where those who have something for a client hand it over, at the pace of the client: nothing piles up.
final class Outlet: Sendable {
    private let channel = AsyncChannel<ByteBuffer>()
    private let byteCount = Atomic(0)

    /// What the client is to be sent, until ``finish()``.
    var buffers: some AsyncSequence<ByteBuffer, Never> & Sendable { channel }

    /// How many bytes were handed over so far.
    var sentByteCount: Int { byteCount.load(ordering: .relaxed) }

    /// Returns when the client has room for more, when the task is cancelled, and when all is over.
    func send(_ buffer: ByteBuffer) async {
        await channel.send(buffer)
        byteCount.add(buffer.readableBytes, ordering: .relaxed)
    }

    /// Ends the stream.
    func finish() { channel.finish() }
}
