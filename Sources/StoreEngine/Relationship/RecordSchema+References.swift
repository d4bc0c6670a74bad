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
                    "a reference is a field of its own, or an element of an array or a set that is one")
            }
            guard let reference = field.type.reference else {
                guard field.deleteRule == .deny else {
                    throw fail("has a delete rule, but it refers to nothing", "remove the rule")
                }
                continue
            }
            guard (1...255).contains(reference.target.utf8.count) else {
                throw fail("refers to a record type without a name", "name one")
            }
            guard field.type.indexedType.isIndexable else {
                throw fail("refers by \(reference.id), which is no id", "refer by the type of the target's id")
            }
            guard field.deleteRule != .nullify || field.type.elements != nil || field.type.isOptional else {
                throw fail("is to be nullified, but it is never none", "make it optional, or choose another rule")
            }
            guard field.deleteRule != .nullify || !id.fields.contains(fieldIndex) else {
                throw fail("is to be nullified, but it is part of the id", "choose another rule")
            }
        }
    }
}
