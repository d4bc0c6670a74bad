/// The kind of a change in the feed.
public enum ChangeKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A record was inserted.
    case insert = 1
    /// Fields of a record changed.
    case update = 2
    /// A record was deleted.
    case delete = 3
    /// A record type was added or changed.
    case schema = 4
    /// Records changed in a way that the feed does not record: read them again. A reset is for one type, or for all types (type
    /// number 0xFFFFFFFF).
    case reset = 5
    /// A record was deleted, and another record was inserted under its id. Only a combination of several change sets contains
    /// this kind; the feed itself never does.
    case replace = 6
}
