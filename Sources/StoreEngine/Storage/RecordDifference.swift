/// What differs between two states of one record.
package enum RecordDifference {
    /// The places, among the type's newest fields, whose bytes differ between `old` and the new record in `new`, which
    /// follows the newest version.
    package static func changedPlaces(
        from old: RecordBytes, to new: RawSpan, of type: OpenType
    ) throws(CodecError) -> [Int] {
        let oldTable = try old.table
        let newTable = try RecordBytes(unverified: new).table
        let places = try type.places(inVersion: old.schemaVersion)
        var changed: [Int] = []
        for place in 0..<newTable.count {
            let oldPlace = places.map { Int($0[place]) } ?? place
            if oldPlace < 0 {
                changed.append(place)
            } else if try !oldTable.field(oldPlace).isEqual(to: newTable.field(place)) {
                changed.append(place)
            }
        }
        return changed
    }
}
