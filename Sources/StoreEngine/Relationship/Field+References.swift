// Tokens of the fields of a record that is referred to: `$0.room.name`. They serve conditions and orders, which look the
// record up; there is nothing of it in the record at hand.
extension Field {
    /// What stands among the steps of a token for the one through a reference.
    static var referenceStep: FieldStep { FieldStep(place: -1, isOptional: false) }

    /// The error for reading, in a record, what another one holds; nil for a field of the record itself.
    var misfitThroughReference: StoreError? {
        guard nestedPath.contains(Field.referenceStep) else { return nil }
        return StoreError(
            .invalidValue, "\(name) is a field of another record: it serves in conditions and orders",
            remedy: "fetch the records that are referred to with them: fetch(request, with:)")
    }

    /// The token itself, where it names a field of the record at hand.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` where it goes through a reference.
    @usableFromInline
    func ofRecord() throws(StoreError) -> Field {
        if let misfitThroughReference { throw misfitThroughReference }
        return self
    }

    /// The token for a field of the record that this field refers to.
    public subscript<Target: Record, Value2>(
        dynamicMember keyPath: KeyPath<Target.Fields, Field<Target, Value2>>
    ) -> Field<Root, Value2> where Value == Reference<Target> {
        through(Target.fields[keyPath: keyPath])
    }

    /// The token for a field of the record that this field may refer to; nil where it refers to none.
    public subscript<Target: Record, Value2>(
        dynamicMember keyPath: KeyPath<Target.Fields, Field<Target, Value2>>
    ) -> Field<Root, Value2?> where Value == Reference<Target>? {
        through(Target.fields[keyPath: keyPath])
    }

    /// The same for a field that is optional itself.
    public subscript<Target: Record, Value2>(
        dynamicMember keyPath: KeyPath<Target.Fields, Field<Target, Value2?>>
    ) -> Field<Root, Value2?> where Value == Reference<Target>? {
        through(Target.fields[keyPath: keyPath])
    }

    private func through<Target, Inner, Outer>(_ inner: Field<Target, Inner>) -> Field<Root, Outer> {
        let name = name + "." + inner.name
        return Field<Root, Outer>(
            index: index,
            nestedPath: nestedPath + [Field.referenceStep, FieldStep(place: inner.index, isOptional: false)]
                + inner.nestedPath,
            isOptionalByPath: false, name: name,
            read: { _ in
                preconditionFailure("\(name) is a field of another record: use it in conditions and orders only")
            }, write: nil,
            decode: { (_) throws(CodecError) in
                throw CodecError("\(name) is a field of another record: use it in conditions and orders only")
            })
    }
}
