#if Etcd
import Foundation
import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Reads the parts of a gRPC response from frames of HTTP/2.
struct EtcdResponseParts: AsyncSequence, Sendable {
    typealias Element = RPCResponsePart<[UInt8]>
    typealias Failure = any Error

    private let inbound: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>

    init(_ inbound: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>) { self.inbound = inbound }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(payloads: inbound.makeAsyncIterator()) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var payloads: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator
        private var received = ByteBuffer()
        private var isEnded = false

        /// Longer than any answer to a request that ModelStore makes.
        private static let maximumMessageByteCount = 256 << 20

        fileprivate init(payloads: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator) {
            self.payloads = payloads
        }

        @concurrent mutating func next() async throws -> RPCResponsePart<[UInt8]>? {
            while !isEnded {
                if let message = try message() { return .message(message) }
                guard let payload = try await payloads.next() else {
                    isEnded = true
                    throw RPCError(code: .unavailable, message: "the connection ended before the answer")
                }
                switch payload {
                case .headers(let frame):
                    if let status = Self.status(frame.headers) {
                        isEnded = true
                        return .status(status, [:])
                    }
                    return .metadata([:])
                case .data(let frame):
                    if case .byteBuffer(var bytes) = frame.data { received.writeBuffer(&bytes) }
                default: continue
                }
            }
            return nil
        }

        /// Takes the first message of the received bytes, if it is complete.
        private mutating func message() throws -> [UInt8]? {
            guard let isCompressed = received.getInteger(at: received.readerIndex, as: UInt8.self),
                let count = received.getInteger(at: received.readerIndex + 1, as: UInt32.self)
            else { return nil }
            guard isCompressed == 0, count <= Self.maximumMessageByteCount else {
                throw RPCError(code: .internalError, message: "etcd sent a message of an unexpected form")
            }
            guard received.readableBytes >= 5 + Int(count) else { return nil }
            received.moveReaderIndex(forwardBy: 5)
            let bytes = received.readBytes(length: Int(count))
            received.discardReadBytes()
            return bytes
        }

        /// Returns the status with which a response ends; nil for the headers with which one begins.
        private static func status(_ headers: HPACKHeaders) -> Status? {
            guard let number = headers.first(name: "grpc-status") else {
                let found = headers.first(name: ":status").flatMap { Int($0) }
                return found == 200 ? nil : Status(httpStatusCode: found ?? 0)
            }
            let code = Int(number).flatMap { Status.Code(rawValue: $0) } ?? .unknown
            let message = headers.first(name: "grpc-message") ?? ""
            return Status(code: code, message: message.removingPercentEncoding ?? message)
        }
    }
}
#endif
