public import Foundation

/// The identity of one append. A retry has the same one, so that a log with an unknown answer can be asked what became of it.
public struct WriteID: Hashable, Sendable, CustomStringConvertible {
    /// The identity as a UUID.
    public let uuid: UUID

    /// Creates an identity, by default a new one.
    public init(_ uuid: UUID = UUID()) { self.uuid = uuid }

    /// The UUID's text.
    public var description: String { uuid.uuidString }
}
