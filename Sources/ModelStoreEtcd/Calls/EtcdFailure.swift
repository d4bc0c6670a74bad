#if Etcd
import GRPCCore
import ModelStoreReplication
import NIOPosix

/// The failure of a call, as far as the log needs to know it.
struct EtcdFailure {
    private let code: RPCError.Code
    private let message: String
    /// Whether the request certainly did not reach a member.
    private let isUnsent: Bool

    init(_ failure: any Error) {
        if let unsent = failure as? EtcdNotConnected {
            code = .unavailable
            message = "no member of the cluster can be reached: \(Self.reason(unsent.cause))"
            isUnsent = true
            return
        }
        let error = failure as? RPCError
        isUnsent = error?.cause is EtcdNotConnected
        code = error?.code ?? .unavailable
        message = error?.message ?? "\(failure)"
    }

    /// Returns the first reason of a failed connection, without the list of its attempts.
    private static func reason(_ cause: (any Error)?) -> String {
        guard let failure = cause as? NIOConnectionError else {
            return cause.map { "\($0)" } ?? "the endpoint needs certificates"
        }
        let first = failure.connectionErrors.first?.error ?? failure.dnsAError ?? failure.dnsAAAAError
        return "\(failure.host):\(failure.port): \(first.map { "\($0)" } ?? "no address is known")"
    }

    /// Whether the connection or the member is at fault, so that another member may answer.
    var isLost: Bool { [.unavailable, .deadlineExceeded, .cancelled, .unknown, .internalError].contains(code) }

    /// Whether the cluster no longer knows the token of the credentials.
    var isExpiredToken: Bool { code == .unauthenticated }

    /// Returns the error of a log for a call.
    func error(_ effect: EtcdCalls.Effect) -> SharedLogError {
        let text =
            message.contains("no leader")
            ? "etcd has no leader, as when most members are down or cut off" : "etcd: \(message)"
        switch code {
        // `mvcc: database space exceeded`: the quota. Nothing was executed.
        case .resourceExhausted: return SharedLogError(.full, text)
        case .unauthenticated, .permissionDenied: return SharedLogError(.refused, text)
        case .invalidArgument:
            return SharedLogError(message.contains("too large") ? .entryTooLarge : .refused, text)
        case .failedPrecondition, .outOfRange, .notFound: return SharedLogError(.refused, text)
        default: return SharedLogError(effect == .repeatable || isUnsent ? .unavailable : .unknown, text)
        }
    }
}
#endif
