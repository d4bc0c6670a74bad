import LMDB
import StoreRuntime

/// A node's turn: a register of the log that the node renews until the turn goes away. The engine ends the turn of a node that is
/// cut off or gone.
///
/// The value of the register is the node's name. A turn that the same node has left behind is taken over at once.
///
/// - `version` is protected by its mutex.
final class LogTurn: ConsumerTurn {
    /// The beginning of the keys of the turns of consumers; the consumer's name follows.
    static let consumerPrefix = "consumer/"
    /// The time after which the turn ends if it is not renewed.
    private static let lifetime = Duration.seconds(10)
    private static let renewalInterval = Duration.seconds(3)

    private let key: String
    private let log: any SharedLog
    private let value: [UInt8]
    /// The version of the register; nil once the turn is over.
    private let version: HandoverMutex<UInt64?>
    private let renewal: HandoverMutex<Task<Void, Never>?>
    private let mayRenew: @Sendable () -> Bool

    private init(
        _ key: String, value: [UInt8], version: UInt64, _ log: any SharedLog, mayRenew: @escaping @Sendable () -> Bool
    ) {
        self.mayRenew = mayRenew
        self.key = key
        self.log = log
        self.value = value
        self.version = HandoverMutex(version)
        renewal = HandoverMutex(nil)
    }

    /// Takes the turn, and returns nil while another node has it.
    ///
    /// - Parameter mayRenew: whether the node can still use the turn. Otherwise it ends.
    static func take(
        _ key: String, node: String, _ log: any SharedLog, mayRenew: @escaping @Sendable () -> Bool = { true }
    ) async throws(SharedLogError) -> LogTurn? {
        let value = Array(node.utf8)
        let found = try await log.registers(prefix: key).first { $0.key == key }
        guard found == nil || found?.value == value else { return nil }
        let outcome = try await log.setRegister(key, to: value, from: found?.version ?? 0, lifetime: lifetime)
        guard case .set(let version) = outcome else { return nil }
        let turn = LogTurn(key, value: value, version: version, log, mayRenew: mayRenew)
        turn.startRenewal()
        return turn
    }

    private func startRenewal() {
        let task = Task.detached { [weak self] in
            while (try? await Task.sleep(for: Self.renewalInterval)) != nil {
                guard await self?.renew() == true else { return }
            }
        }
        renewal.withLock { $0 = task }
    }

    /// Renews the turn, and returns whether it may still last.
    func renew() async -> Bool {
        guard let current = version.withLock({ $0 }) else { return false }
        guard mayRenew() else {
            version.withLock { $0 = nil }
            _ = try? await log.setRegister(key, to: nil, from: current, lifetime: nil)
            return false
        }
        // After an error, the next round tries again.
        guard let outcome = try? await log.setRegister(key, to: value, from: current, lifetime: Self.lifetime)
        else { return true }
        let next: UInt64? =
            switch outcome {
            case .set(let version): version
            case .conflict(nil): 0
            // The answer of an earlier renewal was lost.
            case .conflict(let found?): found.value == value ? found.version : nil
            }
        version.withLock { $0 = next }
        return next != nil
    }

    deinit {
        renewal.withLock { $0?.cancel() }
        guard let current = version.withLock({ $0 }) else { return }
        // If this fails, the turn ends by itself.
        Task.detached { [log, key] in
            _ = try? await log.setRegister(key, to: nil, from: current, lifetime: nil)
        }
    }
}
