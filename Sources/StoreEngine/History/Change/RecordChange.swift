package import Foundation

/// Identifies a change permanently, in all copies of the store.
@usableFromInline
package struct ChangeName: Hashable, Sendable, CustomStringConvertible {
    package let store: UUID
    package let epoch: UInt64
    package let sequence: UInt64
    package let index: Int
    /// The bits of the time of the write. After relaxed commits are lost in a power failure, other change sets take their
    /// numbers; the time tells them apart.
    package let time: UInt64

    @usableFromInline package var description: String {
        "\(changeSetStart).\(index).\(timeText)"
    }

    /// Identifies the change set that contains the change.
    package var changeSet: String { "\(changeSetStart).\(timeText)" }

    private var changeSetStart: String { "\(store.uuidString).\(String(epoch, radix: 16)).\(sequence)" }

    // The letter tells it apart from a position, which has no letter `t` in its fourth part.
    private var timeText: String { "t\(String(time, radix: 16))" }
}

/// One change in a change set, without its Swift type.
///
/// ``ChangeSet/changes(of:)`` returns the typed form.
public struct RecordChange: Sendable {
    package let change: FeedChange
    /// The record type; nil for one that a migration replaced.
    package let type: OpenType?
    /// The description of the record type, also of one that a migration replaced; nil for a reset of all types.
    let described: RecordType?
    package let name: ChangeName
    /// The record that a migration replaced with the inserted one.
    var source: ReplacedSource?

    package init(_ change: FeedChange, type: OpenType?, described: RecordType?, name: ChangeName) {
        self.change = change
        self.type = type
        self.described = described
        self.name = name
    }

    /// Whether the record was of a type with the name and the id fields of this one, until a migration replaced that type.
    func isOfType(replacedBy type: RecordType) -> Bool {
        guard self.type == nil, let described, described.name == type.name else { return false }
        return described.idTypes == type.idTypes
    }

    /// Identifies the change permanently, in every copy of the store. An external consumer of the feed uses it to detect a change
    /// that it has already processed.
    ///
    /// The key includes the time of the write. If a power failure loses a change and a later one takes its number, the two have
    /// different keys.
    public var idempotencyKey: String { name.description }

    /// The kind of change.
    public var kind: ChangeKind { change.kind }

    /// The name of the record type, also of one that a migration replaced. It is `*` for a reset of all types.
    public var typeName: String { described?.name ?? (change.type == .max ? "*" : "#\(change.type)") }

    /// The names of the fields that an update changed, as the newest version has them; empty for other kinds.
    public var changedFields: [String] {
        guard let described else { return [] }
        return change.earlier.compactMap { earlier in
            described.fieldIndex(ofID: earlier.field).map { described.fields[$0].name }
        }
    }

    /// Returns the record's id as a JSON value; an array if the id has several fields. Returns nil for a change that is not of a
    /// record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func idJSON() throws(StoreError) -> String? { try id().map { JSONWriter.text(of: $0) } }

    /// Returns the record before the change as a JSON object; nil if there was none.
    ///
    /// It has the form of the newest schema. If the record before or after the change does not fit that, because a migration has
    /// narrowed a field since, both have the form of the version in which they were written. So have the records of a type that a
    /// migration replaced.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func beforeJSON() throws(StoreError) -> String? { try before().map { JSONWriter.text(of: $0) } }

    /// Returns the record after the change as a JSON object, in the form of ``beforeJSON()``; nil if there is none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func afterJSON() throws(StoreError) -> String? { try after().map { JSONWriter.text(of: $0) } }

    /// Returns the record's id.
    package func id() throws(StoreError) -> JSONValue? {
        guard change.isOfRecord, let described else { return nil }
        let bytes = change.record
        return try decoded { () throws(CodecError) in
            unsafe try RecordBody.idJSON(of: RecordBytes(unverified: bytes.span.bytes), described)
        }
    }

    /// Returns the record's id as a JSON object with the names of its fields; nil for a change that is not of a record.
    package func key() throws(StoreError) -> JSONValue? {
        guard let id = try id(), let described else { return nil }
        let names = described.idFields.compactMap { described.fieldIndex(ofID: $0) }.map { described.fields[$0].name }
        if names.count == 1 { return .object([JSONMember(names[0], id)]) }
        return .object(zip(names, id.array ?? []).map { JSONMember($0, $1) })
    }

    /// Returns the record before the change.
    package func before() throws(StoreError) -> JSONValue? { try states().before }

    /// Returns the record after the change.
    package func after() throws(StoreError) -> JSONValue? { try states().after }

    /// Returns the record before and after the change.
    package func states() throws(StoreError) -> (before: JSONValue?, after: JSONValue?) {
        guard let described else { return (nil, nil) }
        return try decoded { () throws(CodecError) in
            let (before, after) = (try change.before(described), change.after)
            if let type {
                do {
                    return (try newest(before, type), try newest(after, type))
                } catch {}
            }
            return (try written(before, described), try written(after, described))
        }
    }

    /// Returns the record that a transform step of a migration replaced with the inserted one; nil for other changes.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func replaced() throws(StoreError) -> ReplacedRecord? {
        guard let source else { return nil }
        return try decoded { () throws(CodecError) in try source.record() }
    }

    private func newest(_ bytes: [UInt8]?, _ type: OpenType) throws(CodecError) -> JSONValue? {
        guard let bytes else { return nil }
        return unsafe try DynamicRecord(unverified: bytes.span.bytes, of: type).json(type.type)
    }

    private func written(_ bytes: [UInt8]?, _ type: RecordType) throws(CodecError) -> JSONValue? {
        guard let bytes else { return nil }
        return unsafe try RecordBody.json(of: RecordBytes(unverified: bytes.span.bytes), type)
    }

    private func decoded<T>(_ body: () throws(CodecError) -> T) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            throw StoreError(error, at: "the change \(name) of \(typeName)")
        }
    }
}

/// A record of a type that a migration replaced.
public struct ReplacedRecord: Equatable, Sendable {
    /// The name of the record type as it was.
    public let typeName: String
    /// The record as a JSON object, in the form that the type had.
    public let json: String
    /// The stored bytes of the record.
    public let bytes: [UInt8]
}

/// The end of a record that a migration replaced, undecoded. A class, because few changes have one.
final class ReplacedSource: Sendable {
    private let bytes: [UInt8]
    private let type: RecordType

    init(_ change: FeedChange, _ type: RecordType) {
        bytes = change.record
        self.type = type
    }

    func record() throws(CodecError) -> ReplacedRecord {
        let bytes = bytes
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        return ReplacedRecord(
            typeName: type.name, json: JSONWriter.text(of: try RecordBody.json(of: record, type)), bytes: bytes)
    }
}
