import StoreEngine

@attached(member, names: named(init))
@attached(
    extension, conformances: Record, Sendable, Equatable,
    names: named(ID), named(Fields), named(fields), named(recordSchema), named(recordID), named(encode), named(init)
)
public macro Record() = #externalMacro(module: "StoreMacros", type: "RecordMacro")

@attached(peer)
public macro ID() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
@attached(peer)
public macro Index(_ fields: String...) = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
@attached(peer)
public macro Indexed() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
@attached(peer)
public macro Unique() = #externalMacro(module: "StoreMacros", type: "FieldMarkerMacro")
