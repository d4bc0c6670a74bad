/// Stands for a value in the initializers that macros generate to be unavailable. It is never called.
public func _noValue<Value>() -> Value { fatalError("an unavailable initializer was called") }
