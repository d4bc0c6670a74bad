/// The location of a finding of `verify` in a store.
package enum VerifyLocation: Hashable, Sendable, CustomStringConvertible {
    /// An entry of the metadata.
    case metadata(String)
    /// The description of a record type, by its number.
    case catalog(type: UInt32?)
    /// A whole database.
    case database(String)
    /// A record, or one of its fields. The id is text, or the record's key in hexadecimal where the id cannot be read.
    case record(type: String, id: String, field: String?)
    /// The entry with this hexadecimal key in an index over `fields`.
    case entry(type: String, fields: String, key: String)
    /// A change set of the feed, or a fragment or a change of it. Both are counted from 0.
    case feed(sequence: UInt64?, fragment: UInt32?, change: Int?)
    /// The files of the redo log.
    case redoLog

    package var description: String {
        switch self {
        case .metadata(let name): "metadata \(name)"
        case .redoLog: "redo log"
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
