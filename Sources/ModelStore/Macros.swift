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
/// Every stored property becomes a field, unless it is marked ``Transient()``. Computed and static properties are left
/// alone, and so is the struct's memberwise initializer.
///
/// The macro generates, in an extension, the conformance to `Record` (with `Sendable` and `Equatable`), the type `ID`,
/// the tokens of the fields (`Sensor.fields.celsius`), the schema and the codec. They have the access level of the
/// struct. In a public struct they can be inlined by clients as far as the properties are public.
///
/// ### Initial values are defaults
///
/// The initial value of a property is its default for new records, and what records from before the field existed read
/// as. Literals, `nil` and names of one value, such as `.active`, also stand in the store's catalog, where tools
/// without the Swift type see them. An optional without an initial value defaults to `nil`.
///
/// Two defaults are filled in from the transaction that inserts the record, so that every record of a transaction has
/// the same time and a replay repeats them: `.now` (or `.transactionTime`) for a `Date`, and `.newID` for a `UUID`.
/// Until then the property holds a marker value.
///
/// A property that starts at `.now` makes the macro write the memberwise initializer itself, since Swift would read the
/// clock where the value is made. A struct with an initializer of its own says `.transactionTime` instead.
///
/// ### Public records
///
/// A file that declares a public record says `public import ModelStore` where imports are internal by default. The
/// struct's memberwise initializer is internal, as Swift's always is: a public record declares one of its own for other
/// modules to use. Where it has none, they are told so. The type of the id has to reach as far as the record.
///
/// ### Records inside of other types
///
/// A record may be inside of an enum, a struct, a class or an actor, or of an extension of one, and name what is declared
/// there: its types and initial values. It is called by its own name in the store, without those around it, so that of two
/// records of one name one says ``Record(_:)``: otherwise both stand for the same record type. An extension of a private
/// type that holds a record says `private` itself, as the macro sees no more of the type than its name.
///
/// ### Constants
///
/// A `let` property, and one whose setter is narrower than itself, gets a token without a setter: it can be read,
/// compared, indexed and observed, but not bound for writing. A `let` with an initial value is an error, because
/// reading from the store could not replace it.
@attached(member, names: named(init), named(_Scope))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(_recordName), named(recordSchema), named(recordID),
    named(UniqueFields), named(uniqueFields), named(encode(to:)), named(init)
)
public macro Record() = #externalMacro(module: "StoreMacros", type: "RecordMacro")

/// Makes a struct a record that has another name in the store than in Swift.
///
/// Use it to rename a struct whose records exist already, or to keep the names of two modules apart. Everything else is
/// as for ``Record()``.
///
/// - Parameter storedName: The name in the store: 1 to 128 letters, digits, `_`, `-` and `.`, as a string literal.
@attached(member, names: named(init), named(_Scope))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(_recordName), named(recordSchema), named(recordID),
    named(UniqueFields), named(uniqueFields), named(encode(to:)), named(init)
)
public macro Record(_ storedName: String) = #externalMacro(module: "StoreMacros", type: "RecordMacro")

/// Makes a struct storable inside records, with its fields addressable one by one.
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
    names: named(Fields), named(fields), named(embeddedSchema), named(encode(to:)), named(init)
)
public macro Embedded() = #externalMacro(module: "StoreMacros", type: "EmbeddedMacro")

/// Marks the property that tells a record from all others of its type.
///
/// Any type with a key will do, and any whose raw value has one, such as an enum. On several properties the id is
/// composite: the macro generates a nested struct `ID` of them, ordered by the first property, then the second, and so
/// on.
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

/// Marks the property that the store numbers: increasing integers, never used twice.
///
/// The property is a `var` of an integer type that starts at 0. A record whose id is 0 gets the next number when it is
/// inserted.
///
/// ```swift
/// @ID(.assigned) var id: Int = 0
/// ```
@attached(peer)
public macro ID(_ source: IDSource) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Where a record's id comes from, other than from whoever makes the record.
public enum IDSource: Sendable {
    /// The store assigns increasing integers.
    case assigned
}

/// Gives a field an index, so that conditions and orders on it need no scan.
///
/// An array or a set gets an entry for each of its elements, which answers `contains`.
@attached(peer)
public macro Indexed() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Gives a field an index in which no two records have the same value.
///
/// A write that would break this fails as a whole. In an optional field, any number of records may have no value.
@attached(peer)
public macro Unique() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Says what becomes of a record when one that it refers to is deleted.
///
/// The property is a ``Reference``, optional or not, or an array or a set of references. Without this attribute the
/// delete is denied while anything refers to the record, so that nothing is lost silently.
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
/// It needs an initial value, with which every record read from the store begins.
@attached(peer)
public macro Transient() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Says what a field was called before, so that existing records keep their values.
///
/// - Parameter oldNames: The earlier names, as string literals. More than one if stores of several ages are around.
@attached(peer)
public macro Renamed(from oldNames: String...) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")

/// Gives a record an index of several fields, in this order.
///
/// It serves conditions on the first field, on the first two, and so on, and orders by them. The names are checked
/// against the record's properties where it is declared. (Key paths cannot be written there: they need the type that
/// the attribute is part of.)
///
/// - Parameter fields: The names of two or more properties, as string literals.
@attached(peer)
public macro Index(_ fields: String...) = #externalMacro(module: "StoreMacros", type: "IndexMarkerMacro")

/// Gives a record an index of several fields in which no two records have the same values together.
///
/// - Parameter fields: The names of two or more properties, as string literals.
@attached(peer)
public macro UniqueIndex(_ fields: String...) = #externalMacro(module: "StoreMacros", type: "IndexMarkerMacro")
