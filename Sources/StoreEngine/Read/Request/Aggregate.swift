/// An aggregate over the records of a group: the sum, mean, least or greatest value of a field. Nil values are ignored.
///
/// A field makes one: `$0.celsius.max`.
public struct Aggregate<Root, Value>: Sendable {
    let term: AggregateTerm
    let value: @Sendable (AggregateState) throws(StoreError) -> Value
}

extension Field where Value: SummableFieldValue {
    /// The sum of the field.
    ///
    /// For integers of fewer than 64 bits, the sum is an `Int` or a `UInt`. A fetch that uses the sum throws ``StoreError`` with
    /// the code `tooLarge` when the sum does not fit its type.
    public var sum: Aggregate<Root, Value.Summand.Total> {
        Aggregate(term: AggregateTerm(.sum, name)) { [name] (state: AggregateState) throws(StoreError) in
            guard let sum = Value.Summand.Total(state.sum) else {
                throw StoreError(tooLargeSumOf: name, Value.Summand.Total.self)
            }
            return sum
        }
    }

    /// The mean of the field; nil where no record has a value.
    ///
    /// A fetch that uses the mean throws ``StoreError`` with the code `tooLarge` when the sum of decimals or durations is out of
    /// range.
    public var average: Aggregate<Root, Value.Summand.Mean?> {
        Aggregate(term: AggregateTerm(.average, name)) { [name] (state: AggregateState) throws(StoreError) in
            if state.count == 0 { return nil }
            guard let mean = Value.Summand.mean(state.sum, count: state.count) else {
                throw StoreError(tooLargeSumOf: name, Value.Summand.self)
            }
            return mean
        }
    }
}

extension StoreError {
    init(tooLargeSumOf field: some CustomStringConvertible, _ type: some Any) {
        self.init(
            .tooLarge, "the sum of \(field) does not fit \(type)",
            remedy: "narrow the request's condition, or give the field a type with a wider range")
    }
}

extension Field where Value: IndexableValue {
    /// The least value of the field by the order of keys; nil where no record has one.
    @_disfavoredOverload
    public var min: Aggregate<Root, Value?> { Aggregate(extreme: .min, name) }

    /// The greatest value of the field by the order of keys; nil where no record has one.
    @_disfavoredOverload
    public var max: Aggregate<Root, Value?> { Aggregate(extreme: .max, name) }
}

extension Field where Value: OptionalFieldValue, Value.Wrapped: IndexableValue {
    /// The least value of the field by the order of keys; nil where no record has one.
    public var min: Aggregate<Root, Value.Wrapped?> { Aggregate(extreme: .min, name) }

    /// The greatest value of the field by the order of keys; nil where no record has one.
    public var max: Aggregate<Root, Value.Wrapped?> { Aggregate(extreme: .max, name) }
}

extension Aggregate {
    fileprivate init<V: IndexableValue>(extreme kind: AggregateTerm.Kind, _ name: String) where Value == V? {
        self.init(term: AggregateTerm(kind, name)) { (state: AggregateState) throws(StoreError) in
            guard let best = state.best else { return nil }
            do throws(CodecError) {
                return try V(from: best.value)
            } catch {
                throw StoreError(
                    unreadable: best.value, as: V.fieldType, error, at: "the \(kind.rawValue) of \(name)")
            }
        }
    }
}

/// An optional field value, for extensions that apply to optionals only.
public protocol OptionalFieldValue: FieldValue {
    /// The type of the wrapped value.
    associatedtype Wrapped
}

extension Optional: OptionalFieldValue where Wrapped: FieldValue {}

/// A kind of aggregate and the field that it aggregates.
package struct AggregateTerm: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case sum, average, min, max
    }

    package let kind: Kind
    package let field: FieldName

    package init(_ kind: Kind, _ field: FieldName) {
        self.kind = kind
        self.field = field
    }

    init(_ kind: Kind, _ name: String) { self.init(kind, FieldName(name)) }
}

/// The state of an aggregate while a fetch adds values to it.
package struct AggregateState: Sendable {
    /// The number of values so far.
    package fileprivate(set) var count = 0
    /// The sum of the values so far.
    package fileprivate(set) var sum = FieldSum()
    /// The least or greatest value, encoded, and its key.
    fileprivate(set) var best: (key: [UInt8], value: [UInt8])?
}

/// An aggregate compiled for the records of one type.
struct CompiledAggregate: Sendable {
    private let kind: AggregateTerm.Kind
    private let access: FieldAccess
    private let component: KeyComponent
    /// The path to the record that has the field; nil where the field is the record's own.
    private let path: ReferencePath?

    /// The field's type, without optionality.
    var fieldType: FieldType { access.type }

    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` for a field that has no sum or order.
    init(_ term: AggregateTerm, of type: OpenType, in catalog: Catalog) throws(StoreError) {
        path = try ReferencePath(term.field, from: type, in: catalog)
        access = if let path { path.access } else { try FieldAccess(term.field, of: type.type) }
        kind = term.kind
        let isSummable = NumberKind(access.type) != nil
        guard let component = KeyComponent(access.type), isSummable || kind == .min || kind == .max else {
            throw StoreError(
                .invalidValue, "\(type.name).\(term.field), of type \(access.type), has no \(kind.rawValue)")
        }
        self.component = component
    }

    /// Adds the value of one record, or of the record that it refers to. A reference that leads nowhere adds nothing.
    func add(_ table: FieldTable, _ scope: ReadContext, to state: inout AggregateState) throws {
        guard let path else { return try add(table, to: &state) }
        _ = try path.follow(table, scope) { try add($0, to: &state) }
    }

    private func add(_ table: FieldTable, to state: inout AggregateState) throws(CodecError) {
        guard let value = try access.bytes(table) else { return }
        state.count += 1
        switch kind {
        case .sum, .average:
            if let number = try NumberKind(access.type)?.read(value) { state.sum.add(number) }
        case .min, .max:
            var writer = ByteWriter(capacity: 64)
            try component.append(value, to: &writer)
            if let best = state.best {
                let order = unsafe writer.bytes.compared(to: best.key.span.bytes)
                guard kind == .min ? order < 0 : order > 0 else { return }
            }
            state.best = (writer.array(), value.array())
        }
    }
}
