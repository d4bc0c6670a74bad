#if Etcd
import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Writes the parts of a gRPC request as frames of HTTP/2.
struct EtcdRequestWriter: ClosableRPCWriterProtocol {
    private let outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame.FramePayload>
    private let descriptor: MethodDescriptor
    private let endpoint: EtcdEndpoint

    init(
        _ outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame.FramePayload>, _ descriptor: MethodDescriptor,
        _ endpoint: EtcdEndpoint
    ) {
        self.outbound = outbound
        self.descriptor = descriptor
        self.endpoint = endpoint
    }

    func write(_ part: RPCRequestPart<[UInt8]>) async throws {
        switch part {
        case .metadata(let metadata): try await outbound.write(.headers(.init(headers: headers(metadata))))
        case .message(let bytes):
            // A byte that says that the message is not compressed, and its length.
            var buffer = ByteBuffer()
            buffer.reserveCapacity(bytes.count + 5)
            buffer.writeInteger(UInt8(0))
            buffer.writeInteger(UInt32(bytes.count))
            buffer.writeBytes(bytes)
            try await outbound.write(.data(.init(data: .byteBuffer(buffer))))
        }
    }

    func write(contentsOf parts: some Sequence<RPCRequestPart<[UInt8]>>) async throws {
        for part in parts { try await write(part) }
    }

    func finish() async {
        try? await outbound.write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
    }

    func finish(throwing error: any Error) async { outbound.finish() }

    private func headers(_ metadata: Metadata) -> HPACKHeaders {
        var headers: HPACKHeaders = [
            ":method": "POST",
            ":scheme": endpoint.isSecure ? "https" : "http",
            ":path": "/" + descriptor.fullyQualifiedMethod,
            ":authority": "\(endpoint.host):\(endpoint.port)",
            "content-type": "application/grpc",
            "te": "trailers",
        ]
        for (key, value) in metadata { headers.add(name: key, value: value.encoded()) }
        return headers
    }
}
#endif
