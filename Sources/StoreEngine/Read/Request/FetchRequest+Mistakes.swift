// Common mistakes in an order. These overloads give the compiler a message that says what to write instead; it has none of its
// own.
extension FetchRequest {
    /// Unavailable: an order needs a direction.
    @available(*, unavailable, message: "state the direction: order { $0.field.ascending }, or .descending")
    public func order<Value>(_ key: (R.Fields) -> Field<R, Value>) -> FetchRequest { self }

    /// Unavailable: several keys are passed as an array.
    @available(*, unavailable, message: "give several keys as an array: order { [$0.a.ascending, $0.b.ascending] }")
    public func order(_ keys: (R.Fields) -> (SortKey<R>, SortKey<R>)) -> FetchRequest { self }

    /// Unavailable: a closure names the field by its token.
    @available(*, unavailable, message: "name the field in a closure: order { $0.field.ascending }, or .descending")
    public func order<Value>(_ property: KeyPath<R, Value>) -> FetchRequest { self }
}

extension Record {
    /// Unavailable: an order needs a direction.
    @available(*, unavailable, message: "state the direction: order { $0.field.ascending }, or .descending")
    public static func order<Value>(_ key: (Fields) -> Field<Self, Value>) -> FetchRequest<Self> {
        FetchRequest(Self.self)
    }

    /// Unavailable: several keys are passed as an array.
    @available(*, unavailable, message: "give several keys as an array: order { [$0.a.ascending, $0.b.ascending] }")
    public static func order(_ keys: (Fields) -> (SortKey<Self>, SortKey<Self>)) -> FetchRequest<Self> {
        FetchRequest(Self.self)
    }

    /// Unavailable: a closure names the field by its token.
    @available(*, unavailable, message: "name the field in a closure: order { $0.field.ascending }, or .descending")
    public static func order<Value>(_ property: KeyPath<Self, Value>) -> FetchRequest<Self> { FetchRequest(Self.self) }
}
