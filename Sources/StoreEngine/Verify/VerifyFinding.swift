/// A problem that `verify` found in a store: its kind, its location, and a message.
package struct VerifyFinding: Hashable, Sendable, CustomStringConvertible {
    /// The kind of damage.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A checksum or hash does not match its bytes.
        case checksum
        /// Bytes are not an encoding of the expected value.
        case undecodable
        /// A record is stored under another key than the one that its id gives.
        case wrongKey
        /// A record has no entry in an index.
        case missingEntry
        /// An index entry leads to no record, or to a record with another value.
        case strayEntry
        /// A record refers to a record that does not exist.
        case danglingReference
        /// Two records have the same value in a unique index.
        case duplicateValue
        /// A count of entries or records differs from the number that a walk finds.
        case wrongCount
        /// A required entry, database or change set is missing.
        case missing
        /// The store contains something that this ModelStore does not write.
        case unknown
        /// A change set does not continue the one before it.
        case brokenChain
        /// Two parts of the store that must agree do not agree.
        case contradiction
        /// LMDB itself reports damage or an I/O error.
        case storage
        /// The part was not checked, because an earlier finding kept the walk from it.
        case unchecked
    }

    /// The kind of damage.
    package let kind: Kind
    /// The location of the damage.
    package let location: VerifyLocation
    /// The problem, in one sentence without a full stop.
    package let message: String

    package init(_ kind: Kind, at location: VerifyLocation, _ message: String) {
        self.kind = kind
        self.location = location
        self.message = message
    }

    package var description: String { "\(location): \(message)" }
}
