/// One value for all records of a group: the sum, mean, least or greatest of a field. Nil counts for nothing.
///
/// Fields give them: `$0.celsius.max`.
public struct Aggregate<Root, Value>: Sendable {
    let term: AggregateTerm
    let value: @Sendable (AggregateState) throws(StoreError) -> Value
}

extension Field where Value: NumberFieldValue {
    /// The sum of the field.
    ///
    /// Using it throws ``StoreError`` with the code `tooLarge` when a sum of integers does not fit the field's type.
    public var sum: Aggregate<Root, Value.Number> {
        Aggregate(term: AggregateTerm(.sum, name)) { [name] (state: AggregateState) throws(StoreError) in
            guard let sum = Value.Number(sumOf: state.integer, state.floating) else {
                throw StoreError(.tooLarge, "the sum of \(name) does not fit \(Value.Number.self)")
            }
            return sum
        }
    }

    /// The mean of the field; nil where no record has a value.
    public var average: Aggregate<Root, Double?> {
        Aggregate(term: AggregateTerm(.average, name)) { (state: AggregateState) throws(StoreError) in state.mean }
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
                throw StoreError(error, at: "the \(kind.rawValue) of \(name)")
            }
        }
    }
}

/// An optional, for what holds for optionals alone.
public protocol OptionalFieldValue: FieldValue {
    /// The type of a value that is there.
    associatedtype Wrapped
}

extension Optional: OptionalFieldValue where Wrapped: FieldValue {}

/// What is made of a field's values.
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

/// What is known of a field's values so far.
package struct AggregateState: Sendable {
    /// How many there were.
    package fileprivate(set) var count = 0
    /// The sum of integers; no number of records makes 128 bits overflow.
    package fileprivate(set) var integer: Int128 = 0
    package fileprivate(set) var floating = 0.0
    /// The least or greatest value, encoded, and its key.
    fileprivate(set) var best: (key: [UInt8], value: [UInt8])?

    /// The mean; nil of nothing.
    package var mean: Double? { count == 0 ? nil : (Double(integer) + floating) / Double(count) }
}

/// An aggregate made ready for a type's records.
struct CompiledAggregate: Sendable {
    private let kind: AggregateTerm.Kind
    private let access: FieldAccess
    private let component: KeyComponent

    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` for a field that has no sum or order.
    init(_ term: AggregateTerm, of type: RecordType) throws(StoreError) {
        access = try FieldAccess(term.field, of: type)
        kind = term.kind
        let isNumber = NumberKind(access.type) != nil
        guard let component = KeyComponent(access.type), isNumber || kind == .min || kind == .max else {
            throw StoreError(
                .invalidValue, "\(type.name).\(term.field), of type \(access.type), has no \(kind.rawValue)")
        }
        self.component = component
    }

    /// Takes in the value of one record.
    func add(_ table: FieldTable, to state: inout AggregateState) throws(CodecError) {
        guard let value = try access.bytes(table) else { return }
        state.count += 1
        switch kind {
        case .sum, .average:
            switch try NumberKind(access.type)?.read(value) {
            case .integer(let number): state.integer += number
            case .floating(let number): state.floating += number
            case nil: break
            }
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
