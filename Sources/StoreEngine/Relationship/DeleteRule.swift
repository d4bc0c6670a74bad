/// What becomes of the records that refer to a record when that is deleted.
public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
    /// The write fails while records refer to it at the end of the write closure.
    case deny
    /// They refer to nothing afterwards; a collection of references loses the element.
    case nullify
    /// They are deleted too, and so are those that refer to them, by their own rules.
    case cascade
    /// Nothing. Such a reference is not checked at all: it may name a record that does not exist.
    case none
}
