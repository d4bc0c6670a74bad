import AsyncAlgorithms
import NIOCore
import Synchronization

/// Passes data from several tasks to one client, at the pace of the client, so nothing piles up.
final class Outlet: Sendable {
    private let channel = AsyncChannel<ByteBuffer>()
    private let byteCount = Atomic(0)

    /// The buffers for the client, until ``finish()``.
    var buffers: some AsyncSequence<ByteBuffer, Never> & Sendable { channel }

    /// The number of bytes sent so far.
    var sentByteCount: Int { byteCount.load(ordering: .relaxed) }

    /// Returns when the client is ready for more, when the task is cancelled, or after ``finish()``.
    func send(_ buffer: ByteBuffer) async {
        await channel.send(buffer)
        byteCount.add(buffer.readableBytes, ordering: .relaxed)
    }

    /// Ends the stream.
    func finish() { channel.finish() }
}
