/// One change of a record.
public struct Change<R: Record>: Equatable, Sendable {
    /// The kind of change: insert, update or delete; also replace in a combination of several change sets.
    public let kind: ChangeKind
    /// The record's id.
    public let id: R.ID
    /// The record before the change; nil for an insert, and for a record that does not fit `R` (see ``fit``).
    public let before: R?
    /// The record after the change; nil for a delete, and for a record that does not fit `R` (see ``fit``).
    public let after: R?
    /// Whether the records of the change fit `R`.
    public let fit: ChangeFit
    /// The record that a transform step of a migration replaced with the inserted one; nil for other changes.
    public let replaced: ReplacedRecord?
    /// The fields that an update changed.
    public let changedFields: ChangedFields<R>
    /// Identifies the change permanently, in every copy of the store. An external consumer of the feed uses it to detect a change
    /// that it has already processed.
    public var idempotencyKey: String { name.description }
    @usableFromInline package let name: ChangeName

    /// Whether an update changed this field. False for other kinds.
    public func didChange<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool { changedFields.contains(field) }
}

/// Whether the records of a change fit the type of the program.
///
/// The feed keeps records as they were written. A migration checks the current records of a type, but not those of older change
/// sets. An older record may be null in a field that is required now, or hold a number or a case that the type no longer has.
/// The same happens when the program changes how a `Codable` type reads its JSON. Nor do records fit that were written before a
/// migration replaced their type with one of the same name.
public enum ChangeFit: Equatable, Sendable {
    /// All records of the change fit.
    case fits
    /// A record does not fit, so ``Change/before`` or ``Change/after`` is nil. The value is the change as it was written.
    case doesNotFit(WrittenChange)
}

/// A change of a record as it was written, in the form that the type had then.
public struct WrittenChange: Equatable, Sendable {
    /// Why a record does not fit: the field and its value.
    public let reason: String
    /// The record before the change as a JSON object; nil for an insert.
    public let beforeJSON: String?
    /// The record after the change as a JSON object; nil for a delete.
    public let afterJSON: String?
    /// The stored bytes of the record before the change; nil for an insert.
    public let beforeBytes: [UInt8]?
    /// The stored bytes of the record after the change; nil for a delete.
    public let afterBytes: [UInt8]?
}

/// The way in which a reader of the feed receives a change whose record does not fit the type of the program.
public enum UnfitRecords: Hashable, Sendable {
    /// The change, with ``ChangeFit/doesNotFit(_:)``. If its id does not fit, it is in ``ChangeSet/changesOfUnfitIDs(of:)``.
    case deliver
    /// Nothing: ``ChangeSet/changes(of:)`` and ``ChangeSet/changesOfUnfitIDs(of:)`` leave the change out.
    case skip
    /// The error `valueDoesNotFit` from ``ChangeSet/changes(of:)`` and ``ChangeSet/changesOfUnfitIDs(of:)``.
    case stop
}

// Inlinable, so that the compiler specializes decoding for the record type at the call.
extension Change {
    /// Decodes a change; nil if its id is not a value of the id type.
    ///
    /// - Parameter unfit: set to the change as it was written if a record or the id does not fit.
    @inlinable
    init?(_ states: ChangeStates, unfit: inout WrittenChange?) throws(CodecError) {
        var misfit = states.misfit
        before = Change.decode(states.before, states, &misfit)
        after = Change.decode(states.after, states, &misfit)
        if let record = after ?? before {
            id = record.recordID
        } else {
            do {
                id = try Change.id(states)
            } catch {
                unfit = try states.written(misfit ?? error)
                return nil
            }
        }
        kind = states.kind
        changedFields = ChangedFields(states)
        name = states.name
        replaced = try states.replaced()
        unfit = try misfit.map { (error) throws(CodecError) in try states.written(error) }
        fit = unfit.map { ChangeFit.doesNotFit($0) } ?? .fits
    }

    @inlinable
    static func decode(_ bytes: [UInt8]?, _ states: ChangeStates, _ misfit: inout CodecError?) -> R? {
        guard let bytes else { return nil }
        do {
            return unsafe try R(from: states.decoder(bytes.span.bytes))
        } catch {
            misfit = misfit ?? error
            return nil
        }
    }

    /// Returns the id from the stored bytes, because no whole record can be decoded.
    @inlinable
    static func id(_ states: ChangeStates) throws(CodecError) -> R.ID {
        let bytes = try states.encodedID()
        return unsafe try Reference<R>(from: bytes.span.bytes).id
    }
}

/// The parts of a change before it is decoded to a Swift type.
@usableFromInline
struct ChangeStates {
    @usableFromInline let kind: ChangeKind
    @usableFromInline let name: ChangeName
    /// The record before the change, in the form of the newest version.
    @usableFromInline let before: [UInt8]?
    /// The record after the change, in the form of the newest version.
    @usableFromInline let after: [UInt8]?
    /// The indexes of the changed fields among the declared fields.
    let changed: FieldIndexSet
    /// The number of declared fields.
    let fieldCount: Int
    /// Why a record has no form in the newest version; nil if both have one.
    @usableFromInline let misfit: CodecError?
    private let source: FeedChange
    private let replacedSource: ReplacedSource?
    private let binding: TypedBinding
    /// The type of the records, which a migration may have replaced with that of `binding`.
    private let type: RecordType

    /// Takes the states from a change of the type that `binding` connects to a Swift type.
    init(_ source: RecordChange, _ binding: TypedBinding) throws(CodecError) {
        let change = source.change
        kind = change.kind
        name = source.name
        if source.type == nil, let described = source.described {
            type = described
            (before, after, changed) = (nil, nil, FieldIndexSet())
            misfit = CodecError("a migration has replaced the type that it was written with")
        } else {
            type = binding.type.type
            var misfit: CodecError?
            before = ChangeStates.newest(try change.before(type), binding.type, &misfit)
            after = ChangeStates.newest(change.after, binding.type, &misfit)
            self.misfit = misfit
            changed = ChangeStates.changedFieldIndexes(change, binding)
        }
        fieldCount = binding.declaredCount
        self.source = change
        replacedSource = source.source
        self.binding = binding
    }

    /// Returns the record that a migration replaced with the inserted one.
    @usableFromInline
    func replaced() throws(CodecError) -> ReplacedRecord? { try replacedSource?.record() }

    /// Returns the id of the record, encoded as in a reference to it.
    @usableFromInline
    func encodedID() throws(CodecError) -> [UInt8] {
        let record = unsafe try RecordBytes(unverified: source.record.span.bytes)
        if type.id != binding.type.type.id { return try RecordBody.encodedID(of: record, writtenAs: type) }
        return try RecordBody.encodedID(of: record, binding.type)
    }

    /// Returns the change as it was written.
    @usableFromInline
    func written(_ error: CodecError) throws(CodecError) -> WrittenChange {
        let before = try source.before(type)
        return WrittenChange(
            reason: binding.naming(error).reason, beforeJSON: try json(before), afterJSON: try json(source.after),
            beforeBytes: before, afterBytes: source.after)
    }

    private func json(_ bytes: [UInt8]?) throws(CodecError) -> String? {
        guard let bytes else { return nil }
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        return JSONWriter.text(of: try RecordBody.json(of: record, type))
    }

    /// Returns a decoder for the fields of one of the states.
    @usableFromInline
    @_lifetime(copy bytes)
    func decoder(_ bytes: RawSpan) throws(CodecError) -> FieldDecoder {
        FieldDecoder(try RecordBytes(unverified: bytes).table, slots: binding.fieldIndexesByDeclared)
    }

    private static func changedFieldIndexes(_ change: FeedChange, _ binding: TypedBinding) -> FieldIndexSet {
        // Inserts and deletes have no changed fields.
        if change.earlier.isEmpty { return FieldIndexSet() }
        let fields = binding.type.type.fields
        return binding.declaredFieldIndexes { fieldIndex in
            let number = fields[fieldIndex].id
            return change.earlier.contains { $0.field == number }
        }
    }

    /// Returns a record in the form of the newest version; nil if there is none, or if the record does not fit it.
    private static func newest(_ bytes: [UInt8]?, _ type: OpenType, _ misfit: inout CodecError?) -> [UInt8]? {
        guard let bytes else { return nil }
        do {
            // The bytes need no check here: the feed's chained hash was checked on reading.
            let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
            return try type.upgrade(fromVersion: record.schemaVersion)?.apply(to: record) ?? bytes
        } catch {
            misfit = misfit ?? error
            return nil
        }
    }
}

/// The fields of a record that an update changed.
public struct ChangedFields<R: Record>: Hashable, Sendable {
    /// The field indexes among the declared fields.
    private var fieldIndexes = FieldIndexSet()
    private let count: Int

    @usableFromInline
    init(_ states: ChangeStates) {
        fieldIndexes = states.changed
        count = states.fieldCount
    }

    /// Creates the set of the declared fields whose stored fields are in `stored`.
    package init(_ stored: FieldIndexSet, _ binding: TypedBinding) {
        fieldIndexes = binding.declaredFieldIndexes(of: stored)
        count = binding.declaredCount
    }

    /// Creates the set of the declared fields with these indexes.
    package init(declared fieldIndexes: FieldIndexSet) {
        self.init()
        self.fieldIndexes = fieldIndexes
    }

    /// Creates the set of the fields that differ between two records.
    package init(from old: R, to new: R) {
        self.init()
        do throws(CodecError) {
            let before = try Sameness.encoding(of: old)
            let after = try Sameness.encoding(of: new)
            let left = try FieldTable(before.tableBytes)
            let right = try FieldTable(after.tableBytes)
            for declared in 0..<count where try !left.field(declared).isEqual(to: right.field(declared)) {
                fieldIndexes.insert(declared)
            }
        } catch {
            // Records that were decoded can be encoded. If one cannot, all of its fields count as changed.
            fieldIndexes = .all
        }
    }

    /// Creates an empty set.
    package init() { count = R.recordSchema.fields.count }

    /// The field indexes among the declared fields.
    package var declaredFieldIndexes: FieldIndexSet { fieldIndexes }

    /// Whether no field changed.
    public var isEmpty: Bool { fieldIndexes.isEmpty }

    /// Whether a field changed. For a property of an embedded struct, this says whether the struct changed.
    public func contains<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool {
        contains(declared: R.fields[keyPath: field].index)
    }

    /// The names of the changed fields, in the order of declaration.
    public var names: [String] {
        let declared = R.recordSchema.fields
        return (0..<min(count, declared.count)).filter { contains(declared: $0) }.map { declared[$0].name }
    }

    /// Whether the declared field with this index changed.
    package func contains(declared index: Int) -> Bool { fieldIndexes.contains(index) }

    /// Whether any of these declared fields changed.
    package func intersects(declared other: FieldIndexSet) -> Bool { fieldIndexes.intersects(other) }
}
