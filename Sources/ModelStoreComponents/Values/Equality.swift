/// How values of a type are compared; nil where they cannot be.
///
/// Looked up once for a type: asking a value whether it can be compared takes far longer than comparing.
func equality<Value>(of type: Value.Type) -> (@Sendable (Value, Value) -> Bool)? {
    func comparison<E: Equatable & SendableMetatype>(_ type: E.Type) -> @Sendable (Value, Value) -> Bool {
        { left, right in
            guard let left = left as? E, let right = right as? E else { return false }
            return left == right
        }
    }
    guard let type = type as? any (Equatable & SendableMetatype).Type else { return nil }
    return comparison(type)
}

/// Whether two values of any type are known to be equal: objects by identity, others where they can be compared.
func areEqual(_ left: Any, _ right: Any) -> Bool {
    func isEqual<E: Equatable>(_ left: E) -> Bool { (right as? E) == left }
    // Equal objects change on their own, and each has those who follow it.
    if type(of: left) is AnyClass { return type(of: right) is AnyClass && (left as AnyObject) === (right as AnyObject) }
    return (left as? any Equatable).map { isEqual($0) } ?? false
}
