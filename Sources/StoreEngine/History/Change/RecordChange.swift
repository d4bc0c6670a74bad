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
    package let type: OpenType?
    package let name: ChangeName

    package init(_ change: FeedChange, type: OpenType?, name: ChangeName) {
        self.change = change
        self.type = type
        self.name = name
    }

    /// Identifies the change permanently, in every copy of the store. An external consumer of the feed uses it to detect a change
    /// that it has already processed.
    ///
    /// The key includes the time of the write. If a power failure loses a change and a later one takes its number, the two have
    /// different keys.
    public var idempotencyKey: String { name.description }

    /// The kind of change.
    public var kind: ChangeKind { change.kind }

    /// The name of the record type. It is `*` for a reset of all types, and `#` with the type's number for a type that a
    /// migration replaced.
    public var typeName: String {
        if let type { return type.name }
        return change.type == .max ? "*" : "#\(change.type)"
    }

    /// The current names of the fields that an update changed; empty for other kinds.
    public var changedFields: [String] {
        guard let type else { return [] }
        return change.earlier.compactMap { earlier in
            type.type.fieldIndex(ofID: earlier.field).map { type.type.fields[$0].name }
        }
    }

    /// Returns the record's id as a JSON value; an array if the id has several fields. Returns nil for a change that is not of a
    /// record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func idJSON() throws(StoreError) -> String? { try id().map { JSONWriter.text(of: $0) } }

    /// Returns the record before the change as a JSON object, in the form of the newest schema; nil if there was none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func beforeJSON() throws(StoreError) -> String? { try before().map { JSONWriter.text(of: $0) } }

    /// Returns the record after the change as a JSON object, in the form of the newest schema; nil if there is none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func afterJSON() throws(StoreError) -> String? { try after().map { JSONWriter.text(of: $0) } }

    /// Returns the record's id.
    package func id() throws(StoreError) -> JSONValue? {
        guard change.isOfRecord, let type else { return nil }
        return try decoded { () throws(CodecError) in
            unsafe try DynamicRecord(unverified: change.record.span.bytes, of: type).idJSON(type)
        }
    }

    /// Returns the record before the change.
    package func before() throws(StoreError) -> JSONValue? {
        guard let type else { return nil }
        return try decoded { () throws(CodecError) in try json(change.before(type), type) }
    }

    /// Returns the record after the change.
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
