package import Foundation

/// Which change it is, for all time and in all copies of the store.
@usableFromInline
package struct ChangeName: Hashable, Sendable, CustomStringConvertible {
    package let store: UUID
    package let epoch: UInt64
    package let sequence: UInt64
    package let index: Int
    /// The bits of the time of writing: relaxed commits that were lost with the power are followed by others with the same
    /// numbers.
    package let time: UInt64

    @usableFromInline package var description: String {
        "\(changeSetStart).\(index).\(timeText)"
    }

    /// Which change set it is in.
    package var changeSet: String { "\(changeSetStart).\(timeText)" }

    private var changeSetStart: String { "\(store.uuidString).\(String(epoch, radix: 16)).\(sequence)" }

    // With a letter that no position has in this place.
    private var timeText: String { "t\(String(time, radix: 16))" }
}

/// One change in a change set, without its Swift type.
///
/// ``ChangeSet/changes(of:)`` gives the typed form.
public struct RecordChange: Sendable {
    package let change: FeedChange
    package let type: OpenType?
    package let name: ChangeName

    package init(_ change: FeedChange, type: OpenType?, name: ChangeName) {
        self.change = change
        self.type = type
        self.name = name
    }

    /// Names the change for all time and in all copies of the store: what consumes the feed elsewhere can tell by it that it
    /// has seen this change already. It holds the time of writing, so that a change has another name which took the number of one
    /// that was lost with the power.
    public var idempotencyKey: String { name.description }

    /// What kind of change it is.
    public var kind: ChangeKind { change.kind }

    /// The name of the record type; `*` for a reset of all, and its number for a type that a migration has replaced.
    public var typeName: String {
        if let type { return type.name }
        return change.type == .max ? "*" : "#\(change.type)"
    }

    /// The names of the fields that an update changed, as they are called now; empty for other kinds.
    public var changedFields: [String] {
        guard let type else { return [] }
        return change.earlier.compactMap { earlier in
            type.type.fieldIndex(ofID: earlier.field).map { type.type.fields[$0].name }
        }
    }

    /// The record's id as a JSON value; an array where the id has several fields. Nil for a change that is not of a record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func idJSON() throws(StoreError) -> String? { try id().map { JSONWriter.text(of: $0) } }

    /// The record before the change as a JSON object, in the form of the newest schema; nil where there was none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func beforeJSON() throws(StoreError) -> String? { try before().map { JSONWriter.text(of: $0) } }

    /// The record after the change as a JSON object, in the form of the newest schema; nil where there is none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func afterJSON() throws(StoreError) -> String? { try after().map { JSONWriter.text(of: $0) } }

    /// The record's id.
    package func id() throws(StoreError) -> JSONValue? {
        guard change.isOfRecord, let type else { return nil }
        return try decoded { () throws(CodecError) in
            unsafe try DynamicRecord(unverified: change.record.span.bytes, of: type).idJSON(type)
        }
    }

    /// The record before the change.
    package func before() throws(StoreError) -> JSONValue? {
        guard let type else { return nil }
        return try decoded { () throws(CodecError) in try json(change.before(type), type) }
    }

    /// The record after the change.
    package func after() throws(StoreError) -> JSONValue? {
        guard let type else { return nil }
        return try decoded { () throws(CodecError) in try json(change.after, type) }
    }

    private func json(_ bytes: [UInt8]?, _ type: OpenType) throws(CodecError) -> JSONValue? {
        guard let bytes else { return nil }
        return unsafe try DynamicRecord(unverified: bytes.span.bytes, of: type).json(type.type)
    }

    private func decoded<T>(_ body: () throws(CodecError) -> T) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            throw StoreError(error, at: "the change \(name) of \(typeName)")
        }
    }
}
