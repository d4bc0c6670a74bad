import StoreEngine

/// Checks that masked fields exist. A misspelled mask would mask nothing without notice.
struct MaskedFields {
    /// The fields, as `Type.field`, that no known record type has or had.
    private var unknown: Set<String>
    /// The fields that record types have.
    private var known: Set<String> = []

    init(_ names: [String]) { unknown = Set(names) }

    /// Notes the fields of a record type as known.
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

    /// The error for a field that remained unknown; nil if there is none.
    var mistake: StoreError? {
        guard let name = unknown.min() else { return nil }
        let nearest = NearestName.find(name, among: known.sorted())
        return StoreError(
            .unknownField, "there is no field \(name) to mask in the trace",
            remedy: nearest.map { "did you mean \($0)?" } ?? "write it as Type.field")
    }
}
