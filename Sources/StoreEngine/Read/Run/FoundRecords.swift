/// Records of the type at hand that were found by those that refer to them: what is left of such a part of a condition
/// when a request is run.
package struct FoundRecords: Hashable, Sendable {
    /// The whole keys of their ids.
    let keys: Set<[UInt8]>
    /// Whether all others are meant.
    let isExcluded: Bool
    /// The part of the condition that they were found for.
    let text: String
}

extension ConditionRanges {
    /// The keys of the field in records that were found: of an id of several fields those of the first.
    func ranges(_ found: FoundRecords) -> KeyRanges {
        guard let first = type.idFields.first, type.fieldIndex(ofID: first) == part.fieldIndex else { return .all }
        if type.idFields.count == 1 { return KeyRanges(found.keys.map { .prefixed(by: $0, isPoint: true) }) }
        var prefixes: Set<[UInt8]> = []
        var scratch = ByteWriter(capacity: 64)
        let field = type.fields[part.fieldIndex].type
        for key in found.keys {
            var end = 0
            scratch.removeAll()
            // Of a few values a key does not tell how they are encoded, nor then where it ends.
            let isRead = unsafe try? part.component.appendField(of: field, from: key.span.bytes, at: &end, to: &scratch)
            guard isRead == true else { return .all }
            prefixes.insert(Array(key[..<end]))
        }
        return KeyRanges(prefixes.map { .prefixed(by: $0, isPoint: true) })
    }
}
