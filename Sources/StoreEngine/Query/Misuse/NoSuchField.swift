/// What a name that is no field stands for, so that the type checker finds the fault at its place.
@dynamicMemberLookup
public struct NoSuchField<Root>: Sendable {
    /// No field either.
    public subscript(dynamicMember name: String) -> NoSuchField<Root> { refused() }
}

@available(*, unavailable, message: "there is no field of this name")
extension NoSuchField: _ComparedWithAnything {}

@available(*, unavailable, message: "there is no field of this name")
extension NoSuchField: _ComparedInReverse {}

@available(*, unavailable, message: "there is no field of this name")
extension NoSuchField: _CalculatedWithAnything {}

@available(*, unavailable, message: "there is no field of this name")
extension NoSuchField: _Negated {}
