import StoreEngine

/// Whether masked fields are fields: a mask that is misspelled would mask nothing, and nobody would notice.
struct MaskedFields {
    /// The fields, as `Type.field`, that no record type is known to have or have had.
    private var unknown: Set<String>
    /// Those that record types have.
    private var known: Set<String> = []

    init(_ names: [String]) { unknown = Set(names) }

    /// Takes the fields of a record type for known.
    mutating func note(_ type: RecordType) {
        if unknown.isEmpty { return }
        let earlier = type.earlierVersions.flatMap(\.fields)
        for field in type.fields + earlier {
            let name = type.name + "." + field.name
            known.insert(name)
            unknown.remove(name)
            for old in field.schema.renamedFrom { unknown.remove(type.name + "." + old) }
        }
    }

    /// The error for one that is unknown to the end; nil where none is.
    var mistake: StoreError? {
        guard let name = unknown.min() else { return nil }
        let nearest = NearestName.find(name, among: known.sorted())
        return StoreError(
            .unknownField, "there is no field \(name) to mask in the trace",
            remedy: nearest.map { "did you mean \($0)?" } ?? "name it as Type.field")
    }
}
