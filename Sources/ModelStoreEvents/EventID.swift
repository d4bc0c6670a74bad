#if ServerSentEvents
package import ModelStore

/// Identifies a client's rows: their position, and the fingerprint of their request.
package struct EventID: LosslessStringConvertible {
    package let position: Position
    /// See `LiveSteps.fingerprint(_:)`.
    package let fingerprint: UInt64

    init(_ position: Position, _ fingerprint: UInt64) {
        self.position = position
        self.fingerprint = fingerprint
    }

    package init?(_ description: String) {
        guard let end = description.lastIndex(of: "."), let position = Position(String(description[..<end])),
            let fingerprint = UInt64(description[end...].dropFirst(), radix: 16)
        else { return nil }
        self.init(position, fingerprint)
    }

    package var description: String { "\(position).\(String(fingerprint, radix: 16))" }
}
#endif
