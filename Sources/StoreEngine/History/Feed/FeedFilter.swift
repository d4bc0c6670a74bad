/// Selects the changes that a reader of the feed receives: all or some changes of one record type.
public struct FeedFilter: Sendable {
    package let typeName: String
    package let condition: ConditionNode?
    package let fieldNames: [String]

    /// Selects changes of one record type.
    ///
    /// - Parameters:
    ///   - type: the record type.
    ///   - condition: must hold for the record before or after the change. The reader therefore also receives the change with
    ///     which a record begins or ceases to meet it. It cannot follow references, nor test for records that refer to the
    ///     record.
    public init<R: Record>(_ type: R.Type, where condition: ((R.Fields) -> Condition<R>)? = nil) {
        self.init(type, where: condition, fields: [])
    }

    /// Selects changes of one record type that touch at least one of the given fields. Inserts and deletes touch all fields.
    ///
    /// - Parameters:
    ///   - type: the record type.
    ///   - condition: must hold for the record before or after the change.
    ///   - fields: the fields.
    public init<R: Record, each V>(
        _ type: R.Type, where condition: ((R.Fields) -> Condition<R>)? = nil,
        touching fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) {
        var names: [String] = []
        repeat names.append(R.recordSchema.fields[R.fields[keyPath: each fields].index].name)
        self.init(type, where: condition, fields: names)
    }

    private init<R: Record>(_ type: R.Type, where condition: ((R.Fields) -> Condition<R>)?, fields: [String]) {
        self.init(typeName: R.recordSchema.name, condition: condition.map { $0(R.fields).node }, fieldNames: fields)
    }

    /// Selects changes of a type by its name.
    package init(typeName: String, condition: ConditionNode? = nil, fieldNames: [String] = []) {
        self.typeName = typeName
        self.condition = condition
        self.fieldNames = fieldNames
    }
}

/// Filters compiled for a catalog.
package struct FeedFilters: Sendable {
    private struct Ready: Sendable {
        let condition: CompiledCondition?
        let fields: Set<UInt32>
    }

    private var byType: [UInt32: [Ready]] = [:]
    private let names: Set<String>
    /// The numbers of the types that had a wanted name until a migration replaced them.
    private let replaced: Set<UInt32>

    /// Compiles filters. A change is wanted if it passes at least one of them.
    ///
    /// - Throws: ``StoreError``: `unknownType`, `unknownField`, `invalidValue` when a condition does not match its type.
    package init(_ filters: [FeedFilter], _ catalog: Catalog) throws(StoreError) {
        let names = Set(filters.map(\.typeName))
        self.names = names
        replaced = Set(catalog.retiredTypes.filter { names.contains($0.name) }.map(\.id))
        for filter in filters {
            let type = catalog.types[try catalog.requireTypeIndex(named: filter.typeName)]
            var fields: Set<UInt32> = []
            for name in filter.fieldNames {
                guard let fieldIndex = type.type.fieldIndex(named: name) else {
                    throw StoreError(.unknownField, "\(type.name) has no field \(name)")
                }
                fields.insert(type.type.fields[fieldIndex].id)
            }
            let condition = try filter.condition.map { (node) throws(StoreError) in
                try ConditionCompiler(type: type.type).compile(node)
            }
            byType[type.type.id, default: []].append(Ready(condition: condition, fields: fields))
        }
    }

    /// Returns whether a change is wanted. Schema changes and resets of a wanted type are wanted. So are all changes of a type
    /// that had the same name until a migration replaced it: no condition can be tested on them, and their reader must not miss
    /// them.
    package func pass(_ change: FeedChange, type: OpenType?) throws(CodecError) -> Bool {
        if change.kind == .reset, change.type == .max { return true }
        guard let type else {
            if change.isOfRecord { return replaced.contains(change.type) }
            guard change.kind == .schema else { return false }
            return names.contains(try change.describedType().name)
        }
        guard let filters = byType[change.type] else { return false }
        guard change.isOfRecord else { return true }
        for filter in filters where try FeedFilters.pass(filter, change, type) { return true }
        return false
    }

    /// Returns whether any records of a type are wanted.
    func wantsSome(of type: UInt32) -> Bool { byType[type] != nil }

    /// Returns whether a record is wanted in its current state.
    func pass(_ record: RecordBytes, of type: OpenType) throws(CodecError) -> Bool {
        for filter in byType[type.type.id] ?? [] where try FeedFilters.holds(filter, record, type) { return true }
        return false
    }

    private static func pass(_ filter: Ready, _ change: FeedChange, _ type: OpenType) throws(CodecError) -> Bool {
        if change.kind == .update, !filter.fields.isEmpty,
            !change.earlier.contains(where: { filter.fields.contains($0.field) })
        {
            return false
        }
        // Without a condition, the earlier record need not be assembled.
        if filter.condition == nil { return true }
        for state in [change.after, try change.before(type.type)] {
            guard let state else { continue }
            let record = unsafe try RecordBytes(unverified: state.span.bytes)
            do throws(CodecError) {
                if try holds(filter, record, type) { return true }
            } catch {
                // The condition cannot be tested on a record that has no form in the newest version. Its reader must not miss it.
                if try type.misfit(record) == nil { throw error }
                return true
            }
        }
        return false
    }

    private static func holds(_ filter: Ready, _ record: RecordBytes, _ type: OpenType) throws(CodecError) -> Bool {
        guard let condition = filter.condition else { return true }
        return try type.withNewest(record) { (newest) throws(CodecError) in try condition.holds(newest.table) }
    }
}
