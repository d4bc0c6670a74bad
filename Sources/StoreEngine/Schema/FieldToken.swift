/// What other layers read of a field's token, whose own members must not hide those of embedded structs.
@usableFromInline
package struct FieldToken<Root, Value>: Sendable {
    @usableFromInline let field: Field<Root, Value>

    /// Looks into a token.
    @inlinable
    package init(_ field: Field<Root, Value>) { self.field = field }

    /// The property's place among the declared ones; of a nested one that of the record's own property.
    @inlinable package var fieldIndex: Int { field.index }

    /// The property's name, with dots between the parts of a nested one.
    package var name: String { field.name }

    /// Whether it can be changed.
    package var isMutable: Bool { field.isMutable }

    /// The property's value in `root`.
    @inlinable
    package func value(in root: Root) -> Value { field.read(root) }

    /// Sets the property in `root`; a constant stays as it is.
    package func set(_ value: Value, in root: inout Root) { field.set(value, in: &root) }
}
