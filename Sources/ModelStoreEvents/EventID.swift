#if ServerSentEvents
import ModelStore

/// Identifies a client's rows: their position, and the fingerprint of their request.
struct EventID: LosslessStringConvertible {
    let position: Position
    /// See `LiveSteps.fingerprint(_:)`.
    let fingerprint: UInt64

    init(_ position: Position, _ fingerprint: UInt64) {
        self.position = position
        self.fingerprint = fingerprint
    }

    init?(_ description: String) {
        guard let end = description.lastIndex(of: "."), let position = Position(String(description[..<end])),
            let fingerprint = UInt64(description[end...].dropFirst(), radix: 16)
        else { return nil }
        self.init(position, fingerprint)
    }

    var description: String { "\(position).\(String(fingerprint, radix: 16))" }
}
#endif
