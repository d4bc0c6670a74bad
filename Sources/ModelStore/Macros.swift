import StoreEngine

@attached(member, names: named(init))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(recordSchema), named(recordID), named(encode(to:)), named(init(from:))
)
public macro Record() = #externalMacro(module: "StoreMacros", type: "RecordMacro")
@attached(member, names: named(init))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(recordSchema), named(recordID), named(encode(to:)), named(init(from:))
)
public macro Record(_ storedName: String) = #externalMacro(module: "StoreMacros", type: "RecordMacro")

@attached(
    extension, conformances: EmbeddedValue, Sendable, Equatable,
    names: named(Fields), named(fields), named(embeddedSchema), named(encode(to:)), named(init(from:))
)
public macro Embedded() = #externalMacro(module: "StoreMacros", type: "EmbeddedMacro")
@attached(peer)
public macro ID() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
public enum IDSource: Sendable { case assigned }
@attached(peer)
public macro ID(_ source: IDSource) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
@attached(peer)
public macro Index(_ fields: String...) = #externalMacro(module: "StoreMacros", type: "IndexMarkerMacro")
@attached(peer)
public macro UniqueIndex(_ fields: String...) = #externalMacro(module: "StoreMacros", type: "IndexMarkerMacro")
@attached(peer)
public macro Indexed() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
@attached(peer)
public macro Unique() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
@attached(peer)
public macro Transient() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
@attached(peer)
public macro Renamed(from oldNames: String...) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
