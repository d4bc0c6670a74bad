/// What a change in the feed is.
public enum ChangeKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A record came to be.
    case insert = 1
    /// A record's fields changed.
    case update = 2
    /// A record is gone.
    case delete = 3
    /// A record type was added or changed.
    case schema = 4
    /// Records changed in a way the feed does not tell: read them afresh. Of one type, or of all (type number 0xFFFFFFFF).
    case reset = 5
    /// A record was deleted and another one inserted under its id. Only where several change sets are put together: the
    /// feed itself never holds it.
    case replace = 6
}
