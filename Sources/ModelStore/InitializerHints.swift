/// Stands for a value in the unavailable initializers that macros generate. It is never called.
public func _noValue<Value>() -> Value { fatalError("an unavailable initializer was called") }
