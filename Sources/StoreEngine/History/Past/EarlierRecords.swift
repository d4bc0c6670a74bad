/// Changed records in their state before the first of a run of changes.
struct EarlierRecords {
    /// A record that has changed.
    struct Entry {
        /// The index of its type in the catalog.
        let typeIndex: Int
        let key: [UInt8]
        /// The record's bytes before the first change, in the version of their write; nil if there was no record.
        let before: [UInt8]?
    }

    private struct Name: Hashable {
        let typeIndex: Int
        let key: [UInt8]
    }

    private let catalog: Catalog
    /// In the order of the first changes.
    private(set) var entries: [Entry] = []
    private var names: Set<Name> = []
    private var changedNumbers: Set<UInt32> = []

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// Adds the next part of the feed.
    mutating func add(_ part: FeedPart) throws(StoreError) {
        for change in part.changes {
            guard let typeIndex = catalog.typeIndex(ofID: change.type) else { continue }
            guard change.isOfRecord else {
                changedNumbers.insert(change.type)
                continue
            }
            guard names.insert(Name(typeIndex: typeIndex, key: change.key)).inserted else { continue }
            let type = catalog.types[typeIndex]
            do {
                entries.append(Entry(typeIndex: typeIndex, key: change.key, before: try change.before(type.type)))
            } catch {
                throw StoreError(error, at: "a change of \(type.name) in change set \(part.sequence) of the feed")
            }
        }
    }

    /// Whether a record is among the changed ones.
    func contains(typeIndex: Int, key: [UInt8]) -> Bool { names.contains(Name(typeIndex: typeIndex, key: key)) }

    /// Whether a type was added or changed.
    func hasChanged(_ type: OpenType) -> Bool { changedNumbers.contains(type.type.id) }

    /// The names of the types that were added or changed.
    var changedTypes: [String] { catalog.types.filter(hasChanged).map(\.name) }
}
