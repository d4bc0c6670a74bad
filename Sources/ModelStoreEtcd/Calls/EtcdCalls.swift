#if Etcd
import Foundation
import GRPCCore
import ModelStoreReplication
import SwiftProtobuf
import Synchronization

/// The calls of etcd's interface that a log uses.
///
/// - `token` is protected by its mutex.
final class EtcdCalls: Sendable {
    /// Whether a call may be sent again after a lost answer.
    enum Effect {
        /// A second time does no harm.
        case repeatable
        /// A second time could do more than the first.
        case once
    }

    /// A name and a password of the cluster.
    struct Credentials: Sendable {
        let user: String
        let password: String
    }

    /// The longest wait for an answer to a write. A cluster that loses its leader during a write may never answer, and has a new
    /// leader within two seconds.
    private static let writePatience = Duration.seconds(2)
    /// The number of bytes of a write for each of which the wait is a second longer.
    private static let byteCountPerSecond = 256 << 10
    /// The longest wait for an answer to another call. Entries can take some time.
    private static let patience = Duration.seconds(5)

    private let transport: EtcdTransport
    private let client: GRPCClient<EtcdTransport>
    private let credentials: Credentials?
    /// The cluster's token for the credentials.
    private let token = Mutex<String?>(nil)

    init(_ transport: EtcdTransport, _ credentials: Credentials?) {
        self.transport = transport
        client = GRPCClient(transport: transport)
        self.credentials = credentials
    }

    func transact(_ request: EtcdTxnRequest, _ effect: Effect) async throws(SharedLogError) -> EtcdTxnResponse {
        guard effect == .once else { return try await call("KV", "Txn", request, effect) }
        let byteCount = request.success.reduce(0) { $0 + $1.requestPut.value.count }
        let patience = Self.writePatience + .seconds(byteCount / Self.byteCountPerSecond)
        return try await call("KV", "Txn", request, effect, patience)
    }

    func compact(_ request: EtcdCompactionRequest) async throws(SharedLogError) {
        let _: EtcdCompactionResponse = try await call("KV", "Compact", request, .repeatable)
    }

    /// Returns the number of a new lease, which ends after some seconds.
    func grantLease(seconds: Int64) async throws(SharedLogError) -> Int64 {
        var request = EtcdLeaseGrantRequest()
        request.ttl = seconds
        // A lease that nothing is attached to changes nothing, and ends.
        let response: EtcdLeaseGrantResponse = try await call("Lease", "LeaseGrant", request, .repeatable)
        guard response.error.isEmpty else { throw SharedLogError(.unavailable, "etcd: \(response.error)") }
        return response.id
    }

    /// Ends a lease that nothing needs any more. Without an answer, it ends by itself.
    func revokeLease(_ lease: Int64) async {
        guard lease != 0 else { return }
        var request = EtcdLeaseRevokeRequest()
        request.id = lease
        let _: EtcdLeaseRevokeResponse? = try? await call("Lease", "LeaseRevoke", request, .repeatable)
    }

    func status() async throws(SharedLogError) -> EtcdStatusResponse {
        try await call("Maintenance", "Status", EtcdStatusRequest(), .repeatable)
    }

    /// Watches a key until the connection is lost.
    ///
    /// - Parameter onChange: called at the beginning with nil, and after each change with the newest value.
    func watch(_ key: [UInt8], onChange: @escaping @Sendable ([UInt8]?) -> Void) async {
        var request = EtcdWatchRequest()
        request.createRequest.key = Data(key)
        do {
            try await client.bidirectionalStreaming(
                request: StreamingClientRequest(metadata: try await metadata()) { [request] writer in
                    try await writer.write(request)
                    // The watch ends with its request, so the request goes on until the call is cancelled.
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                },
                descriptor: MethodDescriptor(fullyQualifiedService: "etcdserverpb.Watch", method: "Watch"),
                serializer: EtcdCoding<EtcdWatchRequest>(), deserializer: EtcdCoding<EtcdWatchResponse>(),
                options: .defaults
            ) { response in
                for try await change in response.messages {
                    guard !change.canceled else { return }
                    onChange(change.events.last.map { [UInt8]($0.kv.value) })
                }
            }
        } catch {
            // The caller watches again.
        }
    }

    // MARK: One call

    private func call<Request: Message, Response: Message>(
        _ service: String, _ method: String, _ request: Request, _ effect: Effect, _ patience: Duration = patience
    ) async throws(SharedLogError) -> Response {
        var attempts = effect == .repeatable ? 2 : 1
        var mayRenew = credentials != nil
        while true {
            do {
                return try await send(service, method, request, try await metadata(), patience)
            } catch {
                let failure = EtcdFailure(error)
                if failure.isExpiredToken, mayRenew {
                    mayRenew = false
                    token.withLock { $0 = nil }
                    continue
                }
                if failure.isLost { transport.leaveMember() }
                attempts -= 1
                guard failure.isLost, attempts > 0 else { throw failure.error(effect) }
            }
        }
    }

    private func send<Request: Message, Response: Message>(
        _ service: String, _ method: String, _ request: Request, _ metadata: Metadata, _ patience: Duration = patience
    ) async throws -> Response {
        var options = CallOptions.defaults
        options.timeout = patience
        return try await client.unary(
            request: ClientRequest(message: request, metadata: metadata),
            descriptor: MethodDescriptor(fullyQualifiedService: "etcdserverpb.\(service)", method: method),
            serializer: EtcdCoding<Request>(), deserializer: EtcdCoding<Response>(), options: options
        ) { try $0.message }
    }

    /// Returns the metadata of every call: that it needs a majority, and the token of the user.
    private func metadata() async throws -> Metadata {
        var metadata: Metadata = ["hasleader": "true"]
        guard let credentials else { return metadata }
        if let token = token.withLock({ $0 }) {
            metadata.addString(token, forKey: "token")
            return metadata
        }
        var request = EtcdAuthenticateRequest()
        request.name = credentials.user
        request.password = credentials.password
        let response: EtcdAuthenticateResponse = try await send("Auth", "Authenticate", request, metadata)
        token.withLock { $0 = response.token }
        metadata.addString(response.token, forKey: "token")
        return metadata
    }
}

/// Encodes and decodes the messages of calls.
private struct EtcdCoding<Content: Message>: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: Content) throws -> Bytes {
        let encoded: [UInt8] = try message.serializedBytes()
        return Bytes(encoded)
    }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Content {
        try Content(serializedBytes: unsafe bytes.withUnsafeBytes { unsafe Array($0) })
    }
}
#endif
