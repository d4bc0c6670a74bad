/// The records as they were before the first of some changes.
struct EarlierRecords {
    /// A record that has changed.
    struct Entry {
        /// The place of its type in the catalog.
        let typeIndex: Int
        let key: [UInt8]
        /// Its bytes before the first change, of the version that they were written in; nil where there was none.
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

    /// Adds what comes next in the feed.
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
                entries.append(Entry(typeIndex: typeIndex, key: change.key, before: try change.before(type)))
            } catch {
                throw StoreError(error, at: "a change of \(type.name) in change set \(part.sequence) of the feed")
            }
        }
    }

    /// Whether a record is among them.
    func contains(typeIndex: Int, key: [UInt8]) -> Bool { names.contains(Name(typeIndex: typeIndex, key: key)) }

    /// Whether a type was added or changed.
    func hasChanged(_ type: OpenType) -> Bool { changedNumbers.contains(type.type.id) }

    /// The names of the types that were added or changed.
    var changedTypes: [String] { catalog.types.filter(hasChanged).map(\.name) }
}
