/// Returns a field whose default is an expression.
///
/// The macros see only the text of an expression, so this function evaluates it several times. The field has no default if the
/// values differ, as those of a random number or of a clock do: the store would keep one of them for all records.
public func _computed(_ field: () -> FieldSchema) -> FieldSchema {
    let first = field()
    // One random bit is the same in all of them with a probability of 1 in 128.
    for _ in 1..<8 where field().defaultValue != first.defaultValue {
        return FieldSchema(
            name: first.name, type: first.type, defaultValue: nil, renamedFrom: first.renamedFrom,
            onDelete: first.deleteRule)
    }
    return first
}
