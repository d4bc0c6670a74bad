import StoreEngine

/// Makes a struct a record: a value that the store keeps under its id.
///
/// ```swift
/// @Record
/// @Index("room", "celsius")
/// struct Sensor {
///     @ID var id: String
///     @Indexed var room: String
///     @Unique var serial: String
///     var celsius: Double = 0
///     var note: String?
/// }
/// ```
///
/// Every stored property becomes a field, unless it is marked ``Transient()``. The macro does not change computed and static
/// properties, nor the struct's memberwise initializer.
///
/// The macro generates an extension with the conformance to `Record` (with `Sendable` and `Equatable`), the type `ID`, the field
/// tokens (`Sensor.fields.celsius`), the schema and the codec. They have the access level of the struct. For a public struct,
/// other modules can inline the generated code of its public properties.
///
/// ### Initial values are defaults
///
/// The initial value of a property is its default. New records get it, and so do records that were written before the field
/// existed. The store's catalog contains it too, for tools that do not have the Swift type. An optional without an initial value
/// defaults to `nil`.
///
/// An initial value can be any expression that has the same value each time, such as `Place()`, `60 * 60` or `.seconds(5)`. The
/// program evaluates it when it first uses the record type. An expression whose values differ, such as `Int.random(in: 1...6)`,
/// is no default in the catalog: a store does not add such a field to a record type that it has, and tools must name its value.
///
/// Two defaults get their values from the transaction that inserts the record: `.now` (or `.transactionTime`) for a `Date`, and
/// `.newID` for a `UUID`. All records of a transaction get the same time, and a replay produces the same values. Until the
/// insert, the property holds a marker value.
///
/// If a property starts at `.now`, the macro writes the memberwise initializer itself, because Swift would read the clock when
/// the value is created. If the struct declares its own initializer, use `.transactionTime` instead.
///
/// ### Public records
///
/// A file that declares a public record needs `public import ModelStore` if imports are internal by default. Swift's memberwise
/// initializer is internal, so declare a public initializer for use in other modules, or let ``Record(publicInit:)`` write it.
/// Without it, other modules get an error that says so. The type of the id needs at least the access level of the record.
///
/// ### Nested records
///
/// You can nest a record in an enum, a struct, a class or an actor, or in an extension of one. It can use the types and initial
/// values that are declared there. The store knows the record by its own name, without the enclosing types. If two records have
/// the same name, give one of them another name with ``Record(_:)``: otherwise both stand for the same record type. If an
/// extension of a private type holds a record, mark the extension `private`, because the macro sees only the name of the type.
///
/// ### Constants
///
/// A `let` property gets a token without a setter, and so does a property whose setter has a lower access level. You can read,
/// compare, index and observe such a field, but not bind it for writing. A `let` with an initial value is an error, because the
/// decoder cannot replace the value.
@attached(member, names: named(init), named(_Scope))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(_recordName), named(recordSchema), named(recordID),
    named(UniqueFields), named(uniqueFields), named(encode(to:)), named(init), named(==)
)
public macro Record() = #externalMacro(module: "StoreMacros", type: "RecordMacro")

/// Makes a struct a record with a name in the store that differs from its Swift name.
///
/// Use it to rename a struct that already has records in a store, or to distinguish records with the same name in two modules.
/// Otherwise it works like ``Record()``.
///
/// - Parameter storedName: The name in the store: 1 to 128 letters, digits, `_`, `-` and `.`, as a string literal.
@attached(member, names: named(init), named(_Scope))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(_recordName), named(recordSchema), named(recordID),
    named(UniqueFields), named(uniqueFields), named(encode(to:)), named(init), named(==)
)
public macro Record(_ storedName: String) = #externalMacro(module: "StoreMacros", type: "RecordMacro")

/// Makes a public struct a record, and writes its memberwise initializer with the access level of the struct.
///
/// ```swift
/// @Record(publicInit: true)
/// public struct Sensor {
///     @ID public var id: String
///     public var celsius = 0.0
///     var note: String?
/// }
/// // Sensor(id: "s1", celsius: 20) in other modules
/// ```
///
/// The initializer leaves out properties with a lower access level, which need an initial value. Otherwise it works like
/// ``Record()``.
///
/// - Parameter publicInit: `true`; without this argument, other modules can use only an initializer that the struct declares.
@attached(member, names: named(init), named(_Scope))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(_recordName), named(recordSchema), named(recordID),
    named(UniqueFields), named(uniqueFields), named(encode(to:)), named(init), named(==)
)
public macro Record(publicInit: Bool) = #externalMacro(module: "StoreMacros", type: "RecordMacro")

/// Makes a public struct a record with a name in the store, and writes its initializer. See ``Record(_:)`` and
/// ``Record(publicInit:)``.
@attached(member, names: named(init), named(_Scope))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(_recordName), named(recordSchema), named(recordID),
    named(UniqueFields), named(uniqueFields), named(encode(to:)), named(init), named(==)
)
public macro Record(_ storedName: String, publicInit: Bool) =
    #externalMacro(module: "StoreMacros", type: "RecordMacro")

/// Makes a struct storable in the fields of records, and gives it fields of its own.
///
/// ```swift
/// @Embedded
/// struct Place {
///     var floor: Int = 0
///     var room: String
/// }
/// ```
///
/// A record's `var place: Place` is then one field, and conditions reach into it: `$0.place.floor == 2`. Embedded
/// values have no ids and no indexes; ``Transient()`` and ``Renamed(from:)`` work as in records.
@attached(member, names: named(_Scope))
@attached(
    extension, conformances: EmbeddedValue, Sendable, Equatable,
    names: named(Fields), named(fields), named(embeddedSchema), named(encode(to:)), named(init), named(==)
)
public macro Embedded() = #externalMacro(module: "StoreMacros", type: "EmbeddedMacro")

/// Marks the property that identifies a record among all records of its type.
///
/// The property can have any type with a key, or any type whose raw value has one, such as an enum. If several properties are
/// marked, the id is composite: the macro generates a nested struct `ID` with these properties. It is ordered by the first
/// property, then by the second, and so on.
///
/// ```swift
/// @Record
/// struct Slot {
///     @ID var room: String
///     @ID var hour: Int
/// }
/// // Slot.ID(room: "kitchen", hour: 9)
/// ```
@attached(peer)
public macro ID() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Marks the property to which the store assigns increasing integers, which it never reuses.
///
/// The property is a `var` of an integer type that starts at 0. If its id is 0, a record gets the next number when it is
/// inserted.
///
/// ```swift
/// @ID(.assigned) var id: Int = 0
/// ```
@attached(peer)
public macro ID(_ source: IDSource) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// The source of ids that the program does not set.
public enum IDSource: Sendable {
    /// The store assigns increasing integers.
    case assigned
}

/// Gives a field an index, so that conditions and orders on it need no scan.
///
/// An array or a set gets one index entry for each element. Conditions with `contains` use these entries.
@attached(peer)
public macro Indexed() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Gives a field an index in which no two records have the same value.
///
/// If a write breaks this rule, the whole write fails. In an optional field, any number of records may have no value.
@attached(peer)
public macro Unique() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Sets what happens to a record when a record that it refers to is deleted.
///
/// The property is a ``Reference``, optional or not, or an array or a set of references. Without this attribute, the store
/// rejects the delete of a record as long as any record refers to it, so that no data is lost silently.
///
/// ```swift
/// @Record
/// struct Sensor {
///     @ID var id: String
///     @Reference(onDelete: .cascade) var room: Reference<Room>
///     @Reference(onDelete: .nullify) var tags: [Reference<Tag>] = []
/// }
/// ```
///
/// - Parameter onDelete: the rule, written as one of its four names. `.nullify` needs an optional or a collection.
@attached(peer)
public macro Reference(onDelete: DeleteRule = .deny) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Keeps a property out of the store.
///
/// It needs an initial value. Every record that is read from the store starts with it.
@attached(peer)
public macro Transient() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Declares the earlier names of a field, so that existing records keep their values.
///
/// - Parameter oldNames: The earlier names, as string literals. Give several if stores of different ages exist.
@attached(peer)
public macro Renamed(from oldNames: String...) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Gives a record an index over several fields, in the given order.
///
/// It serves conditions on the first field, on the first two, and so on, and orders by them. The macro checks the names against
/// the record's properties at the declaration. (The attribute cannot take key paths: they would need the type that it is part
/// of.)
///
/// - Parameter fields: The names of two or more properties, as string literals.
@attached(peer)
public macro Index(_ fields: String...) = #externalMacro(module: "StoreMacros", type: "IndexMarkerMacro")

/// Gives a record an index over several fields in which no two records have the same combination of values.
///
/// - Parameter fields: The names of two or more properties, as string literals.
@attached(peer)
public macro UniqueIndex(_ fields: String...) = #externalMacro(module: "StoreMacros", type: "IndexMarkerMacro")
