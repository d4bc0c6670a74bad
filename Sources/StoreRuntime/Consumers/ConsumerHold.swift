import LMDB
import StoreEngine

/// The hold of a consumer: no other process of the machine has it, and no other node of a replicated store while its turn lasts.
/// It ends when the last reference goes away.
final class ConsumerHold: Sendable {
    private let byte: ExclusiveByte
    /// Nil for a store without replicas.
    private let turn: (any ConsumerTurn)?

    /// Returns nil while another process or node has the consumer.
    ///
    /// - Parameter number: the number of the byte in the wake file that stands for the consumer.
    init?(_ number: UInt32, of wakeFile: WakeFile, _ name: String, _ log: (any CommitLog)?) async throws {
        // A process takes the byte first, and then knows that no other process of this node uses the node's turn.
        guard let byte = try mapLMDB({ () throws(LMDBError) in try ExclusiveByte(number, of: wakeFile) }) else {
            return nil
        }
        self.byte = byte
        guard let log else {
            turn = nil
            return
        }
        guard let turn = try await log.takeTurn(ofConsumer: name) else { return nil }
        self.turn = turn
    }
}
