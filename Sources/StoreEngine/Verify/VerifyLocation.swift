/// Where in a store `verify` found something.
package enum VerifyLocation: Hashable, Sendable, CustomStringConvertible {
    /// An entry of the metadata.
    case metadata(String)
    /// The description of a record type, by its number.
    case catalog(type: UInt32?)
    /// A whole database.
    case database(String)
    /// A record, by its id as text or, where that cannot be read, its key in hexadecimal; and one of its fields.
    case record(type: String, id: String, field: String?)
    /// The entry of an index over `fields` with this key in hexadecimal.
    case entry(type: String, fields: String, key: String)
    /// A change set of the feed, and a fragment or a change of it, both counted from 0.
    case feed(sequence: UInt64?, fragment: UInt32?, change: Int?)

    package var description: String {
        switch self {
        case .metadata(let name): "metadata \(name)"
        case .catalog(let type): "catalog" + (type.map { ", record type \($0)" } ?? "")
        case .database(let name): "database \(name)"
        case .record(let type, let id, let field):
            "records of \(type), id \(id)" + (field.map { ", field \($0)" } ?? "")
        case .entry(let type, let fields, let key): "index (\(fields)) of \(type), entry \(key)"
        case .feed(let sequence, let fragment, let change):
            "feed" + (sequence.map { ", change set \($0)" } ?? "") + (fragment.map { ", fragment \($0)" } ?? "")
                + (change.map { ", change \($0)" } ?? "")
        }
    }
}
