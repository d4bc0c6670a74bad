/// The members of a field's token that other layers use. ``Field`` does not have them itself, because they would hide members of
/// embedded structs.
@usableFromInline
package struct FieldToken<Root, Value>: Sendable {
    @usableFromInline let field: Field<Root, Value>

    /// Gives access to the members of a token.
    @inlinable
    package init(_ field: Field<Root, Value>) { self.field = field }

    /// The property's declared field index. For a nested property, the index of the record's own property.
    @inlinable package var fieldIndex: Int { field.index }

    /// The property's name, with dots between the parts of a nested name.
    package var name: String { field.name }

    /// Whether the property can be changed.
    package var isMutable: Bool { field.isMutable }

    /// Returns the property's value in `root`.
    @inlinable
    package func value(in root: Root) -> Value { field.read(root) }

    /// Sets the property in `root`. For a constant, changes nothing.
    package func set(_ value: Value, in root: inout Root) { field.set(value, in: &root) }
}
