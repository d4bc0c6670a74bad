// What people write for an order at first, to be told what to write instead: the compiler has no words for it otherwise.
extension FetchRequest {
    /// An order needs a direction.
    @available(*, unavailable, message: "say in which direction: order { $0.field.ascending }, or .descending")
    public func order<Value>(_ key: (R.Fields) -> Field<R, Value>) -> FetchRequest { self }

    /// Several keys are an array.
    @available(*, unavailable, message: "give several keys as an array: order { [$0.a.ascending, $0.b.ascending] }")
    public func order(_ keys: (R.Fields) -> (SortKey<R>, SortKey<R>)) -> FetchRequest { self }

    /// Fields are named by tokens, in a closure.
    @available(*, unavailable, message: "name the field in a closure: order { $0.field.ascending }, or .descending")
    public func order<Value>(_ property: KeyPath<R, Value>) -> FetchRequest { self }
}

extension Record {
    /// An order needs a direction.
    @available(*, unavailable, message: "say in which direction: order { $0.field.ascending }, or .descending")
    public static func order<Value>(_ key: (Fields) -> Field<Self, Value>) -> FetchRequest<Self> {
        FetchRequest(Self.self)
    }

    /// Several keys are an array.
    @available(*, unavailable, message: "give several keys as an array: order { [$0.a.ascending, $0.b.ascending] }")
    public static func order(_ keys: (Fields) -> (SortKey<Self>, SortKey<Self>)) -> FetchRequest<Self> {
        FetchRequest(Self.self)
    }

    /// Fields are named by tokens, in a closure.
    @available(*, unavailable, message: "name the field in a closure: order { $0.field.ascending }, or .descending")
    public static func order<Value>(_ property: KeyPath<Self, Value>) -> FetchRequest<Self> { FetchRequest(Self.self) }
}
