extension RecordSchema {
    /// Checks the references as far as possible without their target types.
    func validateReferences() throws(StoreError) {
        for (fieldIndex, field) in fields.enumerated() {
            func fail(_ reason: String, _ remedy: String) -> StoreError {
                StoreError(.invalidValue, "the field \(field.name) of \(name) \(reason)", remedy: remedy)
            }
            guard !field.type.hidesReferences else {
                throw fail(
                    "holds references where they cannot be followed, in \(field.type)",
                    "make the reference a field of its own, or an element of an array or a set")
            }
            guard let reference = field.type.reference else {
                guard field.deleteRule == .deny else {
                    throw fail("has a delete rule, but it is not a reference", "remove the rule")
                }
                continue
            }
            guard (1...255).contains(reference.target.utf8.count) else {
                throw fail("refers to a record type whose name does not have 1 to 255 bytes", "name one")
            }
            guard field.type.indexedType.isIndexable else {
                throw fail("refers by \(reference.id), which cannot be an id", "refer by the type of the target's id")
            }
            guard field.deleteRule != .nullify || field.type.elements != nil || field.type.isOptional else {
                throw fail(
                    "has the delete rule nullify, but it is not optional", "make it optional, or choose another rule")
            }
            guard field.deleteRule != .nullify || !id.fields.contains(fieldIndex) else {
                throw fail("has the delete rule nullify, but it is part of the id", "choose another rule")
            }
        }
    }
}
