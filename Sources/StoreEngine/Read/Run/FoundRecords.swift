/// The records that a condition about referring records has led to. While a request runs, they replace that part of its
/// condition.
package struct FoundRecords: Hashable, Sendable {
    /// The whole keys of the records' ids.
    let keys: Set<[UInt8]>
    /// Whether all records except these are meant.
    let isExcluded: Bool
    /// The text of the part of the condition that they replace.
    let text: String
}

extension ConditionRanges {
    /// Returns the ranges of a field's keys in the found records. For an id of several fields, these are the keys of the first
    /// field.
    func ranges(_ found: FoundRecords) -> KeyRanges {
        guard let first = type.idFields.first, type.fieldIndex(ofID: first) == part.fieldIndex else { return .all }
        if type.idFields.count == 1 { return KeyRanges(found.keys.map { .prefixed(by: $0, isPoint: true) }) }
        var prefixes: Set<[UInt8]> = []
        var scratch = ByteWriter(capacity: 64)
        let field = type.fields[part.fieldIndex].type
        for key in found.keys {
            var end = 0
            scratch.removeAll()
            // A few values cannot be read back from a key, so the end of the field's key is not known.
            let isRead = unsafe try? part.component.appendField(of: field, from: key.span.bytes, at: &end, to: &scratch)
            guard isRead == true else { return .all }
            prefixes.insert(Array(key[..<end]))
        }
        return KeyRanges(prefixes.map { .prefixed(by: $0, isPoint: true) })
    }
}
