// Overloads for closures that return a field instead of a condition. An overload of `where` costs the type checker nothing for
// other closures; an overload of `&&` would cost thousands of steps.

extension Record {
    /// Refuses a field as a condition.
    @available(*, unavailable, message: "a field is not a condition by itself: compare it, as in $0.isOpen == true")
    @_disfavoredOverload
    public static func `where`<Value>(_ condition: (Fields) -> Field<Self, Value>) -> FetchRequest<Self> { refused() }
}

extension FetchRequest {
    /// Refuses a field as a condition.
    @available(*, unavailable, message: "a field is not a condition by itself: compare it, as in $0.isOpen == true")
    @_disfavoredOverload
    public func `where`<Value>(_ condition: (R.Fields) -> Field<R, Value>) -> FetchRequest { refused() }
}
