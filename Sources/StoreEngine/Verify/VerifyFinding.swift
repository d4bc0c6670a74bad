/// One thing that `verify` found wrong in a store: what, where, and how it shows.
package struct VerifyFinding: Hashable, Sendable, CustomStringConvertible {
    /// What kind of damage a finding is.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A checksum or hash does not fit its bytes.
        case checksum
        /// Bytes are no encoding of what should be there.
        case undecodable
        /// A record lies under another key than its id gives.
        case wrongKey
        /// A record has no entry in an index.
        case missingEntry
        /// An index entry leads to no record, or to one that has another value.
        case strayEntry
        /// A record refers to one that does not exist.
        case danglingReference
        /// Two records have one value in a unique index.
        case duplicateValue
        /// A database counts other entries than a walk over it finds.
        case wrongCount
        /// Metadata, a database or a change set that must be there is not.
        case missing
        /// Something is there that no ModelStore wrote.
        case unknown
        /// A change set does not continue the one before it.
        case brokenChain
        /// Two places that must agree do not.
        case contradiction
        /// LMDB itself reports damage or an error of the medium.
        case storage
        /// Nothing is known of it: what was found before kept the walk from it.
        case unchecked
    }

    /// What kind of damage it is.
    package let kind: Kind
    /// Where it is.
    package let location: VerifyLocation
    /// What is wrong, in one sentence without a full stop.
    package let message: String

    package init(_ kind: Kind, at location: VerifyLocation, _ message: String) {
        self.kind = kind
        self.location = location
        self.message = message
    }

    package var description: String { "\(location): \(message)" }
}
