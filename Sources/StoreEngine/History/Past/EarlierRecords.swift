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

    /// Returns an earlier record in the form of the newest version of its type; nil if there was no record.
    ///
    /// - Throws: ``StoreError``: `historyUnavailable` when the record does not fit its type any more; `damaged`.
    func newest(_ entry: Entry) throws(StoreError) -> [UInt8]? {
        guard let before = entry.before else { return nil }
        let type = catalog.types[entry.typeIndex]
        do throws(CodecError) {
            let record = unsafe try RecordBytes(unverified: before.span.bytes)
            try Self.requireValues(record, type)
            return try type.withNewest(record) { (newest) throws(CodecError) in newest.bytes.array() }
        } catch {
            throw failure(error, of: entry)
        }
    }

    /// Returns the error for an earlier record without a form in the newest version of its type.
    func failure(_ error: CodecError, of entry: Entry) -> StoreError {
        let type = catalog.types[entry.typeIndex]
        guard hasChanged(type) else {
            let key = unsafe HexText.of(entry.key.span.bytes)
            return StoreError(error, at: "an earlier record of \(type.name) under the key \(key)")
        }
        // A migration checks the current records, but not the earlier ones.
        return StoreError(
            .historyUnavailable,
            "an earlier record of \(type.name) does not fit the current fields of the type: \(error.reason)",
            remedy: "read a position after the schema change", cause: error)
    }

    /// Fails for a record that lacks a field that now requires a value. A migration ensures that no current record lacks it, but
    /// earlier records may.
    static func requireValues(_ record: RecordBytes, _ type: OpenType) throws(CodecError) {
        if record.schemaVersion == type.type.version { return }
        let fields = try type.type.fields(ofVersion: record.schemaVersion)
        for field in type.type.fields where field.missing == nil && !fields.contains(where: { $0.id == field.id }) {
            throw CodecError("\(field.name) has no value")
        }
    }

    /// Whether a record is among the changed ones.
    func contains(typeIndex: Int, key: [UInt8]) -> Bool { names.contains(Name(typeIndex: typeIndex, key: key)) }

    /// Whether a type was added or changed.
    func hasChanged(_ type: OpenType) -> Bool { changedNumbers.contains(type.type.id) }

    /// The names of the types that were added or changed.
    var changedTypes: [String] { catalog.types.filter(hasChanged).map(\.name) }
}
