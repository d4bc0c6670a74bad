/// What happens to the records that refer to a record when that record is deleted.
public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
    /// The write fails if records still refer to the deleted record at the end of the write closure.
    case deny
    /// The store sets the reference to nil. It removes the element from a collection of references.
    case nullify
    /// The store deletes the referring records too, and then applies the rules of the references to them.
    case cascade
    /// Nothing happens. The store does not check such a reference: it may name a record that does not exist.
    case none
}
